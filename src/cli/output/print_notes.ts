import { safeJson, safeText } from "../../base/safe_text.ts";
import { type Note, noteLevel } from "../../convert/notes/note.ts";
import type { Io } from "../system/io.ts";

/** Format of notes on standard error. */
export type NoteFormat = "text" | "json";

/**
 * Prints each note on one line of standard error. `text` prints `warning[code] subject: message`, with
 * `(info)` before the subject if the note needs no action. `json` prints one object per line with
 * `level`, `code`, `subject` and `message`.
 */
export function printNotes(notes: readonly Note[], format: NoteFormat, io: Io): void {
  io.stderr.write(notes.map((note) => formatNote(note, format) + "\n").join(""));
}

/** Formats a note as `warning[code] subject: message`, without a newline. */
export function noteText(note: Note): string {
  const { code, subject, message } = note;
  const mark = noteLevel(note) === "info" ? " (info)" : "";
  return safeText(`warning[${code}]${mark} ${subject}: ${message}`);
}

function formatNote(note: Note, format: NoteFormat): string {
  if (format === "text") return noteText(note);
  const { code, subject, message } = note;
  return safeJson({ level: noteLevel(note), code, subject, message });
}
