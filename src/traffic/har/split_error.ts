import { type FilePlace, NewlineCounter } from "./file_place.ts";
import { findJsonFault } from "./json_fault.ts";

/** Thrown for bytes that are not JSON, or JSON that is not a HAR; the message has the reason. */
export class SplitError extends Error {
  /** Name of the error class. */
  override readonly name = "SplitError";
  /** Position of the error. */
  readonly place: FilePlace;

  /** `message` contains what was found and what was expected. */
  constructor(message: string, place: FilePlace) {
    super(message);
    this.place = place;
  }
}

/** Returns the error for an invalid JSON value that starts at `start`; undefined if it is valid. */
export function splitErrorIn(bytes: Uint8Array, start: FilePlace): SplitError | undefined {
  const fault = findJsonFault(bytes);
  if (fault === undefined) return undefined;
  const lines = new NewlineCounter(start);
  for (let i = 0; i < fault.offset; i++) if (bytes[i] === 0x0a) lines.next(start.offset + i + 1);
  return new SplitError(fault.reason, lines.place(start.offset + fault.offset));
}
