import {
  AGAIN_NOTE_KINDS,
  EXPORT_NOTE_KINDS,
  HAR_NOTE_KINDS,
  type NoteKind,
  UPDATE_NOTE_KINDS,
  VERIFICATION_NOTE_KINDS,
} from "../src/convert/notes/note_codes.ts";
import { LOG_NOTE_KINDS } from "../src/convert/notes/log_codes.ts";

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
 * Updates the lists in `page`, the text of docs/warnings.md, so that they contain the current kinds
 * of notes (warnings and other messages). Returns the text, which is otherwise unchanged.
 */
export function warningsPage(page: string): string {
  let text = page;
  for (const [heading, kinds] of Object.entries(SECTIONS)) {
    const start = text.indexOf(`${START}\n`, text.indexOf(`\n## ${heading}\n`)) + START.length + 1;
    text = text.slice(0, start) + list(kinds) + text.slice(text.indexOf(END, start));
  }
  return text;
}

const START = "<!-- deno-fmt-ignore-start -->";
const END = "<!-- deno-fmt-ignore-end -->";

function list(kinds: Readonly<Record<string, NoteKind>>): string {
  return Object.entries(kinds).map(([code, { level, exception, meaning, action }]) => {
    const when = exception === undefined ? level : `${level}; ${exception}`;
    return `- **\`${code}\`** (${when}): ${meaning}` +
      (action === "no action needed" ? "\n" : ` → ${action}\n`);
  }).join("");
}
