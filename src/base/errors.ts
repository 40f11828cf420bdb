/** Error for an invalid command line. The message describes the correct usage. Exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/**
 * Position of an error in an input. Offsets are in bytes and start at 0. Lines and columns start at
 * 1.
 */
export interface Place {
  /** Name of the input as the user gave it: a path, or `standard input`. */
  readonly source: string;
  readonly offset?: number;
  readonly line?: number;
  readonly column?: number;
  /** The offending text as recorded. Apply `safeText` before printing it. */
  readonly snippet?: string;
}

/** Error for an input that could not be read or parsed. No output was written. Exit code 1. */
export class InputError extends Error {
  override readonly name = "InputError";
  readonly place: Place;

  constructor(message: string, place: Place, options?: ErrorOptions) {
    super(message, options);
    this.place = place;
  }
}

/**
 * Error for an output that could not be written. An existing file at that path is unchanged. Exit
 * code 1.
 */
export class OutputError extends Error {
  override readonly name = "OutputError";
}

/** Error for a run that could not be completed and has no summary. Exit code 1. */
export class RunError extends Error {
  override readonly name = "RunError";
}

/** Returns the system's message for an error, such as `No space left on device`, without its number. */
export function systemMessage(error: unknown): string {
  return error instanceof Error
    ? error.message.replace(/ \(os error \d+\).*$/s, "")
    : String(error);
}
