import {
  AGAIN_NOTE_KINDS,
  type AgainNoteCode,
  EXPORT_NOTE_KINDS,
  type ExportNoteCode,
  HAR_NOTE_KINDS,
  type HarNoteCode,
  NO_ACTION,
  type NoteKind,
  type NoteLevel,
  UPDATE_NOTE_KINDS,
  type UpdateNoteCode,
  VERIFICATION_NOTE_KINDS,
  type VerificationNoteCode,
} from "./note_codes.ts";
import { LOG_NOTE_KINDS, type LogNoteCode } from "./log_codes.ts";

/** Stable identifier of a kind of note: lower-case words joined by `-`. */
export type NoteCode =
  | LogNoteCode
  | HarNoteCode
  | VerificationNoteCode
  | AgainNoteCode
  | ExportNoteCode
  | UpdateNoteCode;

/**
 * A message to the user about a conversion: what it approximates, excludes or leaves to the user.
 * `subject` and `message` may contain recorded text, so sanitize them before you print them.
 */
export interface Note<Code extends NoteCode = NoteCode> {
  /** Severity, if it differs from the default of the note's kind. */
  readonly level?: NoteLevel;
  /** Code that identifies the kind of note. */
  readonly code: Code;
  /**
   * Subject of the note: a path in the plan, a variable, an option, or the counted items, such as
   * `endpoints`.
   */
  readonly subject: string;
  /** What happened and what to do about it, in one line. */
  readonly message: string;
}

/** A note about the conversion of an access log. */
export type LogNote = Note<LogNoteCode>;

/** A note about the conversion of a HAR. */
export type HarNote = Note<HarNoteCode>;

/** A note about the verification of a converted plan. */
export type VerificationNote = Note<VerificationNoteCode>;

/** A note about the comparison of a plan with a second recording. */
export type AgainNote = Note<AgainNoteCode>;

const NOTE_KINDS: Readonly<Record<NoteCode, NoteKind>> = {
  ...LOG_NOTE_KINDS,
  ...HAR_NOTE_KINDS,
  ...VERIFICATION_NOTE_KINDS,
  ...AGAIN_NOTE_KINDS,
  ...EXPORT_NOTE_KINDS,
  ...UPDATE_NOTE_KINDS,
};

/** Returns the severity of a note: its own if set, otherwise the default of its kind. */
export function noteLevel({ level, code }: Note): NoteLevel {
  return level ?? NOTE_KINDS[code].level;
}

/** Reports whether any of the notes is a warning, which means that the user has to act. */
export function needsAction(notes: readonly Note[]): boolean {
  return notes.some((note) => noteLevel(note) === "warning");
}

/**
 * Joins the first five distinct items with commas. If there are more, appends how many were
 * omitted, such as ` and 3 more`.
 */
export function listed(items: readonly string[]): string {
  const unique = [...new Set(items)];
  const more = unique.length - 5;
  return unique.slice(0, 5).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/**
 * Returns a note that states what its code means, the items, and what to do; `own` replaces the
 * general texts of the code. Undefined if there are no items.
 */
export function listing(
  code: HarNoteCode,
  subject: string,
  items: readonly string[],
  own: Partial<Pick<NoteKind, "meaning" | "action">> = {},
): HarNote | undefined {
  if (items.length === 0) return undefined;
  const { meaning, action } = { ...HAR_NOTE_KINDS[code], ...own };
  const advice = action === NO_ACTION ? "" : `; ${action}`;
  return { code, subject, message: `${meaning}: ${listed(items)}${advice}` };
}
