const FIN = 0x80, COMPRESSED = 0x40, MASKED = 0x80;
/** Minimum size, in bytes, of a payload that is masked four bytes at a time. */
const WORDWISE = 64;

const masks = new Uint32Array(256);
let nextMask = masks.length;

/**
 * Encodes a client frame that contains the whole `payload`. The payload is masked with a random key
 * (RFC 6455, section 5.3). `compressed` is true if the payload is compressed.
 */
export function encodeFrame(opcode: number, payload: Uint8Array, compressed = false): Uint8Array {
  const { length } = payload;
  const header = length < 126 ? 6 : length < 65_536 ? 8 : 14;
  // The payload starts at a multiple of four, so that it can be masked in words.
  const start = (header + 3) & ~3;
  const buffer = new ArrayBuffer((start + length + 3) & ~3);
  const frame = new Uint8Array(buffer, start - header, header + length);
  frame[0] = FIN | opcode | (compressed ? COMPRESSED : 0);
  if (header === 6) frame[1] = MASKED | length;
  else {
    const view = new DataView(buffer, start - header);
    frame[1] = MASKED | (header === 8 ? 126 : 127);
    if (header === 8) view.setUint16(2, length);
    else view.setBigUint64(2, BigInt(length));
  }
  frame.set(payload, header);
  const words = new Uint32Array(buffer);
  const mask = words[start / 4 - 1] = takeMask();
  if (length >= WORDWISE) {
    for (let i = start / 4; i < words.length; i++) words[i] ^= mask;
  } else {
    for (let i = 0; i < length; i++) frame[header + i] ^= frame[header - 4 + (i & 3)];
  }
  return frame;
}

function takeMask(): number {
  if (nextMask === masks.length) {
    crypto.getRandomValues(masks);
    nextMask = 0;
  }
  return masks[nextMask++];
}
