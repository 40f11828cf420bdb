/** Minimum length of an id that consists of hex digits. */
export const MIN_HEX_DIGITS = 16;
/** Length of a UUID in characters. */
export const UUID_LENGTH = 36;
/** Offsets of the dashes in a UUID. */
export const UUID_DASHES: readonly number[] = [8, 13, 18, 23];

const DIGITS = /^\d+$/;
const HEX = new RegExp(`^[0-9a-f]{${MIN_HEX_DIGITS},}$`, "i");
const UUID = new RegExp(
  `^${
    Array.from(
      { length: UUID_LENGTH },
      (_, at) => UUID_DASHES.includes(at) ? "-" : "[0-9a-f]",
    ).join("")
  }$`,
  "i",
);

/** Shape of a string that looks like an id. */
export type IdShape = "number" | "uuid" | "hex";

/** Decides as `isId` of `accesslog/read/log_request` for the bytes of a log line. */
export function idShape(text: string): IdShape | undefined {
  const first = text.charCodeAt(0);
  if (first >= 0x30 && first <= 0x39 && DIGITS.test(text)) return "number";
  if (text.length < MIN_HEX_DIGITS) return undefined;
  if (text.length === UUID_LENGTH && UUID.test(text)) return "uuid";
  return HEX.test(text) ? "hex" : undefined;
}
