import type { NoteKind } from "./note_kind.ts";

const KINDS = {
  "k6-omitted": {
    level: "warning",
    meaning: "the script does not contain a part of the plan, or only as a comment with its YAML",
    action: "edit the script, or run the plan with `rehearse run`",
  },
  "k6-changed": {
    level: "warning",
    meaning:
      "k6 does something differently, so that the load or the results differ; the message explains it",
    action: "follow the message, or run the plan with `rehearse run`",
  },
} satisfies Record<string, NoteKind>;

/** Code of a note that `export k6` prints. */
export type ExportNoteCode = keyof typeof KINDS;

/** The kinds of notes that `export k6` prints, keyed by code, in the order of docs/warnings.md. */
export const EXPORT_NOTE_KINDS: Readonly<Record<ExportNoteCode, NoteKind>> = KINDS;
