/**
 * Severity of a note. A `warning` requires a decision or an action by the user, and makes
 * `--strict` fail. An `info` requires neither.
 */
export type NoteLevel = "info" | "warning";

/** Description of all notes with the same code. docs/warnings.md is generated from it. */
export interface NoteKind {
  /** Severity of a note that does not set its own. */
  readonly level: NoteLevel;
  /**
   * The case in which a note has the other severity, such as "info with `--rate kept`". Absent if
   * the severity is always the same.
   */
  readonly exception?: string;
  /** What happened, in Markdown. */
  readonly meaning: string;
  /** What the user should do in response to the note, in Markdown. */
  readonly action: string;
}
