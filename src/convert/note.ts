/**
 * One message of a conversion: what was approximated, left out or left to the user. `subject` and
 * `message` may hold recorded text: sanitize them before printing.
 */
export interface Note {
  /**
   * `note` informs and needs no action, so `--strict` accepts it. `warning`, the default, needs an
   * action or a decision of the user.
   */
  readonly level?: NoteLevel;
  /** Stable and documented in docs/warnings.md: lower-case words joined by `-`. */
  readonly code: string;
  /** What it is about: a plan path, a request's name, the noun of a count. */
  readonly subject: string;
  /** What was approximated and what to do about it, in one line. */
  readonly message: string;
}

/** How much a note matters. */
export type NoteLevel = "note" | "warning";

/** Returns the level of a note. */
export function noteLevel({ level = "warning" }: Note): NoteLevel {
  return level;
}

/** Reports whether any of the notes needs an action. */
export function needsAction(notes: readonly Note[]): boolean {
  return notes.some((note) => noteLevel(note) === "warning");
}
