import type { NoteKind } from "./note_kind.ts";

const KINDS = {
  "stale-value": {
    level: "warning",
    meaning: "a value from a response is sent as recorded",
    action: "add the extractor from the message",
  },
  "nothing-found": {
    level: "warning",
    meaning: "an extractor finds nothing in the recorded response",
    action: "correct the extractor's expression, or extract the value from another response",
  },
  "unsent-request": {
    level: "warning",
    meaning:
      "a request cannot be sent: a variable in it was never set, or it would not be valid HTTP",
    action: "set the variable before the request, or correct the request",
  },
  "call-not-made": {
    level: "warning",
    meaning: "the plan does not send a recorded call",
    action:
      "no action needed if you dropped the call on purpose; otherwise, add the call to the plan",
  },
} satisfies Record<string, NoteKind>;

/** Code of a note that `convert --verify` prints. */
export type VerificationNoteCode = keyof typeof KINDS;

/**
 * The kinds of notes that `convert --verify` prints, keyed by code, in the order of
 * docs/warnings.md.
 */
export const VERIFICATION_NOTE_KINDS: Readonly<Record<VerificationNoteCode, NoteKind>> = KINDS;
