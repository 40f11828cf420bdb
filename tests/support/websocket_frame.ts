/** Unusual properties of a frame. */
export interface FrameFlags {
  /** False for a fragment that is not the last one (default: true). */
  readonly last?: boolean;
  /** Reserved bits, such as 0x40 for compressed content (default: 0). */
  readonly reserved?: number;
}

/** Returns a frame as a server sends it: without a mask. */
export function frame(
  opcode: number,
  content: Uint8Array | string,
  { last = true, reserved = 0 }: FrameFlags = {},
): Uint8Array {
  const payload = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const { length } = payload;
  const size = length < 126
    ? [length]
    : length < 65_536
    ? [126, length >> 8, length & 0xff]
    : [127, 0, 0, 0, 0, length >>> 24, length >> 16 & 0xff, length >> 8 & 0xff, length & 0xff];
  return Uint8Array.from([(last ? 0x80 : 0) | reserved | opcode, ...size, ...payload]);
}

/** Frame of a client. */
export interface ClientFrame {
  readonly opcode: number;
  readonly content: Uint8Array;
  /** True if the bit for compressed content is set. */
  readonly compressed: boolean;
  /** Size of the frame in bytes, including its header. */
  readonly size: number;
}

/** Parses the frame at the start of `bytes`. Returns undefined if it is not complete. */
export function parseClientFrame(bytes: Uint8Array): ClientFrame | undefined {
  if (bytes.length < 2) return undefined;
  const short = bytes[1] & 0x7f;
  const header = short < 126 ? 2 : short === 126 ? 4 : 10;
  if (bytes.length < header + 4) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const length = short < 126
    ? short
    : short === 126
    ? view.getUint16(2)
    : Number(view.getBigUint64(2));
  const size = header + 4 + length;
  if (bytes.length < size) return undefined;
  const mask = bytes.subarray(header, header + 4);
  return {
    opcode: bytes[0] & 0x0f,
    compressed: (bytes[0] & 0x40) !== 0,
    content: bytes.subarray(header + 4, size).map((byte, i) => byte ^ mask[i % 4]),
    size,
  };
}
