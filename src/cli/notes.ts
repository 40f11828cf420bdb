import type { Note } from "../convert/notes.ts";
import { safeText } from "../base/safe_text.ts";
import type { Io } from "./io.ts";
import { safeJson } from "./safe_json.ts";

/** How warnings are written to standard error. */
export type NoteFormat = "text" | "json";

/** Writes each note on one line: `warning[code] subject: message`, or as a JSON object. */
export function printNotes(notes: readonly Note[], format: NoteFormat, io: Io): void {
  io.stderr.write(notes.map((note) => line(note, format) + "\n").join(""));
}

function line({ code, subject, message }: Note, format: NoteFormat): string {
  if (format === "json") return safeJson({ code, subject, message });
  return safeText(`warning[${code}] ${subject}: ${message}`);
}
