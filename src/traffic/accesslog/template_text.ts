const DOLLAR = 0x24;
const BRACE = 0x7b;
const PERCENT = 0x25;
const HEX = new TextEncoder().encode("0123456789ABCDEF");

/**
 * Turns recorded bytes into text of a plan that stands for exactly them: `${` becomes `$${`, bytes
 * that are not UTF-8 are percent-encoded. Reads `bytes` up to `to`, writes to `out` from its beginning
 * (three times the room is enough), gives the length.
 */
export function writeTemplateText(bytes: Uint8Array, to: number, out: Uint8Array): number {
  let length = 0;
  for (let i = 0; i < to;) {
    const count = utf8Length(bytes, i, to);
    if (count === 0) {
      out[length++] = PERCENT;
      out[length++] = HEX[bytes[i] >> 4];
      out[length++] = HEX[bytes[i] & 15];
      i++;
      continue;
    }
    if (bytes[i] === DOLLAR && i + 1 < to && bytes[i + 1] === BRACE) out[length++] = DOLLAR;
    for (const next = i + count; i < next; i++) out[length++] = bytes[i];
  }
  return length;
}

/** Length of the well-formed UTF-8 sequence at `i`, or 0 (Unicode, table 3-7). */
function utf8Length(bytes: Uint8Array, i: number, to: number): number {
  const lead = bytes[i];
  if (lead < 0x80) return 1;
  const count = lead >= 0xc2 && lead <= 0xdf
    ? 2
    : lead >> 4 === 0xe
    ? 3
    : lead >= 0xf0 && lead <= 0xf4
    ? 4
    : 0;
  if (count === 0 || i + count > to) return 0;
  const least = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const most = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  if (bytes[i + 1] < least || bytes[i + 1] > most) return 0;
  for (let k = 2; k < count; k++) if (bytes[i + k] >> 6 !== 2) return 0;
  return count;
}
