import type { NoteKind } from "./note_kind.ts";

const KINDS = {
  "again-extracted": {
    level: "info",
    meaning: "a value differs between the two recordings: the plan now extracts it",
    action: "no action needed",
  },
  "again-client-value": {
    level: "info",
    meaning:
      "a value differs between the two recordings and occurs only in requests: the plan now generates a new value",
    action: "no action needed",
  },
  "again-not-found": {
    level: "warning",
    meaning: "an extractor finds nothing in the second recording; the plan keeps the extractor",
    action: "check the extractor's name or expression if both recordings come from the same system",
  },
  "again-unpaired": {
    level: "warning",
    meaning: "only one of the two recordings contains a call",
    action: "record both sessions with the same steps, or check that nothing depends on the call",
  },
  "again-other-response": {
    level: "warning",
    meaning:
      "a call got a different kind of response in the second recording, so its values were not compared",
    action:
      "record the second session again, with the application in the same state as the first time",
  },
  "again-unexplained": {
    level: "warning",
    meaning:
      "a value differs between the two recordings and occurs only in requests, and `convert` does not know how to generate it: it is sent as recorded",
    action:
      "if the server does not accept the recorded value again, use `data` or a function, or run `calibrate`",
  },
} satisfies Record<string, NoteKind>;

/** Code of a note that `convert --again` prints. */
export type AgainNoteCode = keyof typeof KINDS;

/**
 * The kinds of notes that `convert --again` prints, keyed by code, in the order of
 * docs/warnings.md.
 */
export const AGAIN_NOTE_KINDS: Readonly<Record<AgainNoteCode, NoteKind>> = KINDS;
