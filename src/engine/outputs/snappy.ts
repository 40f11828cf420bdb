/**
 * Encodes bytes as a snappy block that contains only literals. The block is valid but not
 * compressed.
 */
export function snappyBlock(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const parts: number[] = [];
  for (let length = bytes.length;; length >>>= 7) {
    if (length < 128) {
      parts.push(length);
      break;
    }
    parts.push(length & 127 | 128);
  }
  const head = Uint8Array.from(parts);
  const chunks = Math.ceil(bytes.length / 65_536);
  const block = new Uint8Array(head.length + bytes.length + 3 * chunks);
  block.set(head);
  for (let from = 0, at = head.length; from < bytes.length; from += 65_536) {
    const chunk = bytes.subarray(from, from + 65_536);
    const last = chunk.length - 1;
    block.set([61 << 2, last & 255, last >>> 8], at);
    block.set(chunk, at + 3);
    at += 3 + chunk.length;
  }
  return block;
}
