/**
 * Something that a converter approximated, left out or left to the user: one warning. `subject` and
 * `message` may hold recorded text; whoever prints them makes it safe.
 */
export interface Note {
  /** Stable and documented in docs/warnings.md: lower-case words joined by `-`. */
  readonly code: string;
  /** What it is about: a plan path, a request's name, a count's noun. */
  readonly subject: string;
  /** What was approximated and what to do about it, in one line. */
  readonly message: string;
}
