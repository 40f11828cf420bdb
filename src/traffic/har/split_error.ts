import { type FilePlace, NewlineCounter } from "./file_place.ts";
import { findJsonFault } from "./json_fault.ts";

/** Bytes that are not JSON, or JSON that is no HAR; the message says why. */
export class SplitError extends Error {
  /** What the error is called. */
  override readonly name = "SplitError";
  /** Where the bytes stop being a HAR. */
  readonly place: FilePlace;

  /** `message` says what was found and what was expected. */
  constructor(message: string, place: FilePlace) {
    super(message);
    this.place = place;
  }
}

/** The error for a value that starts at `start` and is not JSON; undefined when it is JSON. */
export function splitErrorIn(bytes: Uint8Array, start: FilePlace): SplitError | undefined {
  const fault = findJsonFault(bytes);
  if (fault === undefined) return undefined;
  const lines = new NewlineCounter(start);
  for (let i = 0; i < fault.offset; i++) if (bytes[i] === 0x0a) lines.next(start.offset + i + 1);
  return new SplitError(fault.reason, lines.place(start.offset + fault.offset));
}
