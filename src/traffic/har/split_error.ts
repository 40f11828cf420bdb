import { type FilePlace, NewlineCounter } from "./file_place.ts";
import { findJsonFault } from "./json_fault.ts";

/** Error for input that is not JSON, or is JSON but not a HAR. `message` is the reason. */
export class SplitError extends Error {
  /** Name of the error class. */
  override readonly name = "SplitError";
  /** Position of the error in the file. */
  readonly place: FilePlace;

  /** Creates an error. `message` states what was found and what was expected. */
  constructor(message: string, place: FilePlace) {
    super(message);
    this.place = place;
  }
}

/**
 * Returns the error for the first syntax error in a JSON value, or undefined if the value is valid.
 * `start` is the position of the value in the file.
 */
export function splitErrorIn(bytes: Uint8Array, start: FilePlace): SplitError | undefined {
  const fault = findJsonFault(bytes);
  if (fault === undefined) return undefined;
  const lines = new NewlineCounter(start);
  for (let i = 0; i < fault.offset; i++) if (bytes[i] === 0x0a) lines.next(start.offset + i + 1);
  return new SplitError(fault.reason, lines.place(start.offset + fault.offset));
}
