import type { HarNote } from "../notes/note.ts";
import { callsNotes } from "./calls_notes.ts";
import { correlationNotes } from "./correlation_notes.ts";
import type { HarFacts } from "./facts.ts";
import { recordingNotes } from "./recording_notes.ts";

/** Returns the notes on everything that a HAR's plan approximates, excludes or leaves to the user. */
export function harNotes(facts: HarFacts): HarNote[] {
  return [callsNotes, correlationNotes, recordingNotes].flatMap((notes) => notes(facts))
    .filter((note) => note !== undefined)
    .map((note) => ({ ...note, message: facts.hide(note.message) }));
}
