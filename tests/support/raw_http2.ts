import { bytesOf } from "./parsed.ts";
import type { Peer } from "./wire_server.ts";

/** Frame types of RFC 9113, section 6. */
export const FRAME = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  push: 5,
  ping: 6,
  goaway: 7,
  window: 8,
  continuation: 9,
} as const;
/** Flags that end a stream and a header block. */
export const END_STREAM = 1, END_HEADERS = 4;
/** Flags of padding and of the fields of PRIORITY. */
export const PADDED = 8, HAS_PRIORITY = 32;
/** Flag of an acknowledgment. */
export const ACK = 1;
/** Header block that contains only `:status: 200`. */
export const STATUS_200: Uint8Array = Uint8Array.of(0x88);
/** Header block that contains only `:status: 103`. */
export const STATUS_103: Uint8Array = Uint8Array.of(0x08, 3, ...bytesOf("103"));

/** Encodes an HTTP/2 frame. */
export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Uint8Array = new Uint8Array(0),
): Uint8Array {
  const { length } = payload;
  const head = Uint8Array.of(length >> 16, length >> 8, length, type, flags, ...int32(stream));
  return joined(head, payload);
}

/** Encodes a RST_STREAM frame. */
export function reset(stream: number, code: number): Uint8Array {
  return frame(FRAME.reset, 0, stream, int32(code));
}

/** Encodes a GOAWAY frame. `last` is the ID of the last stream that the server processes. */
export function goaway(last: number, code = 0): Uint8Array {
  return frame(FRAME.goaway, 0, 0, joined(int32(last), int32(code)));
}

/** Encodes a SETTINGS frame. */
export function settings(...pairs: readonly [key: number, value: number][]): Uint8Array {
  const payload = pairs.map(([key, value]) => joined(Uint8Array.of(0, key), int32(value)));
  return frame(FRAME.settings, 0, 0, joined(...payload));
}

/** Encodes a header field without indexing and without Huffman coding. */
export function field(name: string, value: string): Uint8Array {
  const [n, v] = [bytesOf(name), bytesOf(value)];
  return joined(Uint8Array.of(0, n.length), n, Uint8Array.of(v.length), v);
}

/** Encodes a HEADERS frame. */
export const head = (block: Uint8Array, flags: number = END_HEADERS, stream = 1): Uint8Array =>
  frame(FRAME.headers, flags, stream, block);
/** Encodes a DATA frame. */
export const data = (text: string, flags: number = END_STREAM, stream = 1): Uint8Array =>
  frame(FRAME.data, flags, stream, bytesOf(text));

/** Encodes a complete response with the status 200. */
export function wholeResponse(stream: number, body: string): Uint8Array {
  return joined(
    frame(FRAME.headers, END_HEADERS, stream, STATUS_200),
    frame(FRAME.data, END_STREAM, stream, bytesOf(body)),
  );
}

/** An HTTP/2 frame. */
export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Uint8Array;
}

/** Splits what a client has written after the first 24 bytes, its preface, into frames. */
export function clientFrames(written: Uint8Array): Frame[] {
  const frames: Frame[] = [];
  const view = new DataView(written.buffer, written.byteOffset, written.length);
  for (let at = 24; at < written.length;) {
    const end = at + 9 + (view.getUint32(at) >>> 8);
    const [type, flags] = [written[at + 3], written[at + 4]];
    const payload = written.subarray(at + 9, end);
    frames.push({ type, flags, stream: view.getUint32(at + 5), payload });
    at = end;
  }
  return frames;
}

/** Sends the server's preface, and yields the ID of each stream whose request is complete. */
export async function* http2Requests(peer: Peer): AsyncGenerator<number> {
  if (await peer.head() === "") return;
  await peer.body("SM\r\n\r\n".length);
  await peer.write(frame(FRAME.settings, 0, 0));
  for (;;) {
    const head = await peer.body(9);
    if (head.length < 9) return;
    const [high, mid, low, type, flags] = head;
    await peer.body(high << 16 | mid << 8 | low);
    const ends = (flags & END_STREAM) !== 0 && (type === FRAME.headers || type === FRAME.data);
    if (ends) yield new DataView(head.buffer).getUint32(5);
    if (type === FRAME.settings && flags === 0) await peer.write(frame(FRAME.settings, 1, 0));
  }
}

/** Encodes a 32-bit integer. */
export function int32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

/** Joins byte arrays. */
export function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
