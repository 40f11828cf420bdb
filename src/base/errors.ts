/** The command line is invalid; the message says what to write instead. Exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The position of an error in an input. Offsets are bytes from 0; lines and columns count from 1. */
export interface Place {
  /** Name of the input as the user gave it: a path, or `standard input`. */
  readonly source: string;
  readonly offset?: number;
  readonly line?: number;
  readonly column?: number;
  /** The offending text as recorded. Apply `safeText` before printing it. */
  readonly snippet?: string;
}

/** An input could not be read or parsed; nothing was written. Exit code 1. */
export class InputError extends Error {
  override readonly name = "InputError";
  readonly place: Place;

  constructor(message: string, place: Place, options?: ErrorOptions) {
    super(message, options);
    this.place = place;
  }
}

/** An output could not be written; an earlier file of that name is unchanged. Exit code 1. */
export class OutputError extends Error {
  override readonly name = "OutputError";
}

/** A run could not be completed, so there is no summary. Exit code 1. */
export class RunError extends Error {
  override readonly name = "RunError";
}
