/**
 * One warning of a conversion: something that was approximated, excluded or left to the user.
 * `subject` and `message` may contain recorded text, so sanitize them before you print them.
 */
export interface Note {
  /**
   * `warning`, the default, needs an action or a decision of the user and fails `--strict`. `info`
   * needs no action.
   */
  readonly level?: NoteLevel;
  /** Stable identifier, documented in docs/warnings.md: lower-case words joined by `-`. */
  readonly code: string;
  /** Subject of the warning: a plan path, a variable, an option, or the noun of a count. */
  readonly subject: string;
  /** What happened and what to do about it, in one line. */
  readonly message: string;
}

/** Severity of a note. */
export type NoteLevel = "info" | "warning";

/** Returns the level of a note: `warning` unless it sets another. */
export function noteLevel({ level = "warning" }: Note): NoteLevel {
  return level;
}

/** Reports whether any of the notes needs an action. */
export function needsAction(notes: readonly Note[]): boolean {
  return notes.some((note) => noteLevel(note) === "warning");
}
