import { AGAIN_NOTE_KINDS } from "../src/convert/notes/again_codes.ts";
import { EXPORT_NOTE_KINDS } from "../src/convert/notes/export_codes.ts";
import { HAR_NOTE_KINDS } from "../src/convert/notes/har_codes.ts";
import { LOG_NOTE_KINDS } from "../src/convert/notes/log_codes.ts";
import { UPDATE_NOTE_KINDS } from "../src/convert/notes/note.ts";
import type { NoteKind } from "../src/convert/notes/note_kind.ts";
import { VERIFICATION_NOTE_KINDS } from "../src/convert/notes/verification_codes.ts";
import { markdownTable, replaceTable } from "./markdown_table.ts";

/** Kinds of notes (warnings and other messages), grouped by heading in docs/warnings.md. */
const SECTIONS: Readonly<Record<string, Readonly<Record<string, NoteKind>>>> = {
  "Access logs": LOG_NOTE_KINDS,
  "HAR": HAR_NOTE_KINDS,
  "With `--verify`": VERIFICATION_NOTE_KINDS,
  "With `--again`": AGAIN_NOTE_KINDS,
  "With `--update`": UPDATE_NOTE_KINDS,
  "Notes of `export k6`": EXPORT_NOTE_KINDS,
};

/**
 * Updates the tables in `page`, the text of docs/warnings.md, so that they list the current kinds
 * of notes (warnings and other messages). Returns the text, which is otherwise unchanged.
 */
export function warningsPage(page: string): string {
  let text = page;
  for (const [heading, kinds] of Object.entries(SECTIONS)) {
    text = replaceTable(text, heading, "code", table(kinds));
  }
  return text;
}

function table(kinds: Readonly<Record<string, NoteKind>>): string {
  return markdownTable([
    ["code", "level", "meaning", "what to do"],
    ...Object.entries(kinds).map(([code, { level, exception, meaning, action }]) => [
      `\`${code}\``,
      exception === undefined ? level : `${level}; ${exception}`,
      meaning,
      action,
    ]),
  ]);
}
