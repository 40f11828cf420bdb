/** The message describes the correct usage. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Offsets are in bytes, from 0. Lines and columns start at 1. */
export interface Place {
  /** A path, or `standard input`. */
  readonly source: string;
  readonly offset?: number;
  readonly line?: number;
  readonly column?: number;
  /** What caused the error. Pass it through `safeText`. */
  readonly snippet?: string;
}

/** An input that cannot be read or parsed. */
export class InputError extends Error {
  override readonly name = "InputError";
  readonly place: Place;

  constructor(message: string, place: Place, options?: ErrorOptions) {
    super(message, options);
    this.place = place;
  }
}

/** An output that cannot be written. An existing file stays unchanged. */
export class OutputError extends Error {
  override readonly name = "OutputError";
}

/** A run that cannot be completed and has no summary. */
export class RunError extends Error {
  override readonly name = "RunError";
}

/** A permission that was requested and not granted. */
export class PermissionError extends Deno.errors.NotCapable {
  /** `action` is such as `connect to shop.test:443`, and `flag` is an option of `deno run`. */
  constructor(action: string, flag: string) {
    super(`cannot ${action}: the permission is missing; add \`${flag}\` to \`deno run\``);
  }
}

/** Returns the message of an error without the number of the operating system's error. */
export function systemMessage(error: unknown): string {
  return error instanceof Error
    ? error.message.replace(/ \(os error \d+\).*$/s, "")
    : String(error);
}
