import { type Note, noteLevel } from "../convert/note.ts";
import { safeText } from "../base/safe_text.ts";
import type { Io } from "./io.ts";
import { safeJson } from "./safe_json.ts";

/** Format of the notes on standard error. */
export type NoteFormat = "text" | "json";

/**
 * Prints each note on one line of standard error: `warning[code] subject: message`, or `note[code] …`
 * if it only informs. `json` prints one object per line with `level`, `code`, `subject`, `message`.
 */
export function printNotes(notes: readonly Note[], format: NoteFormat, io: Io): void {
  io.stderr.write(notes.map((note) => line(note, format) + "\n").join(""));
}

function line(note: Note, format: NoteFormat): string {
  const { code, subject, message } = note;
  const level = noteLevel(note);
  if (format === "json") return safeJson({ level, code, subject, message });
  return safeText(`${level}[${code}] ${subject}: ${message}`);
}
