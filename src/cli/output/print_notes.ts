import { safeJson, safeText } from "../../base/safe_text.ts";
import { hideAllPasswords, hidePasswords } from "../../plan/text/user_info.ts";
import { type Note, noteLevel } from "../../convert/notes/note.ts";
import { wrapWords } from "../../report/text/print_blocks.ts";
import type { Io, Sink } from "../system/io.ts";

/** Format of notes on standard error. */
export type NoteFormat = "text" | "json";

/**
 * Prints each note on one line of standard error. `text` prints `warning[code] subject: message`,
 * or `info[code] subject: message` if the note needs no action. On a terminal, long lines are
 * wrapped between words. `json` prints one object per line with `level`, `code`, `subject` and
 * `message`.
 */
export function printNotes(notes: readonly Note[], format: NoteFormat, io: Io): void {
  for (let at = 0; at < notes.length; at += GROUP) {
    const lines = notes.slice(at, at + GROUP).map((note) => formatNote(note, format));
    const shown = format === "text" ? fitToTerminal(lines, io.stderr) : lines;
    const colored = format === "text" && io.stderr.colors ? shown.map(colorNote) : shown;
    io.stderr.write(colored.map((line) => line + "\n").join(""));
  }
}

/** Number of notes to print at once. A conversion can have tens of thousands of notes. */
const GROUP = 1_000;

/** Number of spaces at the start of each continuation line. */
const INDENT = 2;

/**
 * Wraps lines between words to fit the width of a terminal. Returns the lines unchanged if the
 * output is not a terminal.
 */
export function fitToTerminal(lines: readonly string[], sink: Sink): string[] {
  const columns = sink.columns();
  if (columns === undefined) return [...lines];
  return lines.map((line) => wrapWords(line, columns, INDENT).join("\n"));
}

/** Colors the code of a note: yellow for a warning, gray for a note that needs no action. */
function colorNote(text: string): string {
  return text.replace(
    /^(warning|info)\[[\w-]+\]/,
    (code, level) => `\x1b[${level === "warning" ? 33 : 2}m${code}\x1b[0m`,
  );
}

/** Formats a note as `warning[code] subject: message` or `info[code] …`, without a newline. */
export function noteText(note: Note): string {
  const { code, subject, message } = note;
  return safeText(hidePasswords(`${noteLevel(note)}[${code}] ${subject}: ${message}`));
}

function formatNote(note: Note, format: NoteFormat): string {
  if (format === "text") return noteText(note);
  const { code, subject, message } = note;
  return safeJson(hideAllPasswords({ level: noteLevel(note), code, subject, message }));
}
