import { bytesOf } from "./parsed.ts";
import type { Peer } from "./wire_server.ts";

/** Frame types of RFC 9113, section 6. */
export const FRAME = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goaway: 7 } as const;
/** Flags that end a stream and a header block. */
export const END_STREAM = 1, END_HEADERS = 4;
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

/** Encodes a complete response with the status 200. */
export function wholeResponse(stream: number, body: string): Uint8Array {
  return joined(
    frame(FRAME.headers, END_HEADERS, stream, STATUS_200),
    frame(FRAME.data, END_STREAM, stream, bytesOf(body)),
  );
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

function int32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

/** Joins byte arrays. */
export function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}
