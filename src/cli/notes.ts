import type { Note } from "../convert/notes.ts";
import { safeText } from "../base/safe_text.ts";
import type { Io } from "./io.ts";

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

/** JSON in which whatever is unfit for a terminal is escaped, so that a parser still reads the text. */
function safeJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Noncharacter_Code_Point}]/gu,
    (c) =>
      c.split("").map((unit) => "\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0")).join(""),
  );
}
