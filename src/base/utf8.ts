const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Decodes UTF-8, including a byte order mark. Returns undefined if `bytes` are not valid UTF-8. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Returns the offset of the first byte that is not part of a character in UTF-8. `bytes` must
 * contain such a byte.
 */
export function firstBadByte(bytes: Uint8Array): number {
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (startsWell(bytes.subarray(0, middle))) good = middle;
    else bad = middle;
  }
  while (utf8Text(bytes.subarray(0, good)) === undefined) good--;
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

/** Returns the encoding of text that starts with ASCII, if each character has several bytes. */
export function wideEncoding([a, b, c, d]: Uint8Array): string | undefined {
  if (a === 0xff && b === 0xfe) return c === 0 && d === 0 ? "UTF-32" : "UTF-16";
  if (a === 0xfe && b === 0xff) return "UTF-16";
  if (a === 0 && b === 0) return "UTF-32";
  // The text starts with an ASCII character, so a NUL next to it is the other half of a UTF-16 code
  // unit.
  return (a === 0) !== (b === 0) && a !== undefined && b !== undefined ? "UTF-16" : undefined;
}
