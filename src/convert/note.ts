/**
 * A message to the user about a conversion: something that was approximated, excluded or left to the
 * user. `subject` and `message` may contain recorded text, so sanitize them before you print them.
 */
export interface Note {
  /**
   * Severity. A `warning` (the default) needs a decision or an action by the user, and makes `--strict`
   * fail. An `info` needs none.
   */
  readonly level?: NoteLevel;
  /** Stable identifier, documented in docs/warnings.md: lower-case words joined by `-`. */
  readonly code: string;
  /**
   * What the note is about: a path in the plan, a variable, an option, or what is counted, such as
   * `endpoints`.
   */
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

/** Reports whether any of the notes is a warning, which needs an action by the user. */
export function needsAction(notes: readonly Note[]): boolean {
  return notes.some((note) => noteLevel(note) === "warning");
}
