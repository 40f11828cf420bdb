/** The command line is wrong; the message says what to write instead. Ends with exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Where in an input something is wrong. Offsets are bytes from 0, lines and columns count from 1. */
export interface Place {
  /** What the user called the input: a path, or `standard input`. */
  readonly source: string;
  readonly offset?: number;
  readonly line?: number;
  readonly column?: number;
  /** The offending text as recorded; whoever prints it makes it safe. */
  readonly snippet?: string;
}

/** An input could not be read or understood; nothing was written. Ends with exit code 1. */
export class InputError extends Error {
  override readonly name = "InputError";
  readonly place: Place;

  constructor(message: string, place: Place, options?: ErrorOptions) {
    super(message, options);
    this.place = place;
  }
}

/** An output could not be written; an earlier file of that name is as it was. Exit code 1. */
export class OutputError extends Error {
  override readonly name = "OutputError";
}

/** A run could not be completed, so there is no summary. Ends with exit code 1. */
export class RunError extends Error {
  override readonly name = "RunError";
}
