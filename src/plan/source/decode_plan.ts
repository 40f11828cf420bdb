import type { LocatedDiagnostic } from "../rules/diagnostic.ts";
import { LineIndex } from "../rules/line_index.ts";

/**
 * Decodes a plan from UTF-8 and removes the byte order mark, if any. Returns a diagnostic if the
 * bytes are not valid UTF-8.
 */
export function decodePlan(bytes: Uint8Array): string | LocatedDiagnostic {
  const wide = wideEncoding(bytes);
  if (wide) return encodingError(`the text is ${wide}: expected UTF-8`, 0, bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return encodingError("the text is not UTF-8", firstBadByte(bytes), bytes);
  }
}

function wideEncoding([a, b, c, d]: Uint8Array): string | undefined {
  if (a === 0xff && b === 0xfe) return c === 0 && d === 0 ? "UTF-32" : "UTF-16";
  if (a === 0xfe && b === 0xff) return "UTF-16";
  if (a === 0 && b === 0) return "UTF-32";
  // A plan starts with an ASCII character, so a NUL next to it is the other half of a UTF-16 code
  // unit.
  return (a === 0) !== (b === 0) && a !== undefined && b !== undefined ? "UTF-16" : undefined;
}

/** Returns the offset of the first byte that is not valid UTF-8. */
function firstBadByte(bytes: Uint8Array): number {
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (startsWell(bytes.subarray(0, middle))) good = middle;
    else bad = middle;
  }
  return good;
}

/** Reports whether the bytes are valid UTF-8, apart from an incomplete character at the end. */
function startsWell(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

function encodingError(message: string, offset: number, bytes: Uint8Array): LocatedDiagnostic {
  const before = new TextDecoder().decode(bytes.subarray(0, offset));
  const place = new LineIndex(before).place(before.length);
  const hint = "save the file as UTF-8";
  return { code: "bad-encoding", severity: "error", path: [], message, hint, ...place };
}
