import { HAR_NOTE_KINDS } from "../src/convert/notes/har_codes.ts";
import { LOG_NOTE_KINDS } from "../src/convert/notes/log_codes.ts";
import type { NoteKind } from "../src/convert/notes/note_kind.ts";
import { VERIFICATION_NOTE_KINDS } from "../src/convert/notes/verification_codes.ts";

/** Kinds of notes by the heading of docs/warnings.md whose table lists them. */
const SECTIONS: Readonly<Record<string, Readonly<Record<string, NoteKind>>>> = {
  "Access logs": LOG_NOTE_KINDS,
  "HAR": HAR_NOTE_KINDS,
  "With `--verify`": VERIFICATION_NOTE_KINDS,
};

/**
 * Returns docs/warnings.md with tables that list the current kinds of notes. `page` is the page as it
 * is; text outside the tables stays.
 */
export function warningsPage(page: string): string {
  let text = page;
  for (const [heading, kinds] of Object.entries(SECTIONS)) {
    const section = text.indexOf(`\n## ${heading}\n`);
    const start = text.indexOf("\n| code ", section) + 1;
    if (section < 0 || start === 0) throw new Error(`the page has no table below "${heading}"`);
    const end = text.indexOf("\n\n", start);
    text = text.slice(0, start) + table(kinds) + text.slice(end < 0 ? text.length - 1 : end);
  }
  return text;
}

/** Formats a table as `deno fmt` does: cells padded to the width of their column. */
function table(kinds: Readonly<Record<string, NoteKind>>): string {
  const rows = [
    ["code", "level", "meaning", "what to do"],
    ...Object.entries(kinds).map(([code, { level, exception, meaning, action }]) => [
      `\`${code}\``,
      exception === undefined ? level : `${level}; ${exception}`,
      meaning,
      action,
    ]),
  ];
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column])));
  const rule = widths.map((width) => "-".repeat(width));
  return [lines[0], rule, ...lines.slice(1)].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
