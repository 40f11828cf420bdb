import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { constants, createDeflateRaw, deflateRawSync, inflateRawSync } from "node:zlib";
import {
  acceptedCompression,
  CLOSE,
  encodeFrame,
  FrameParser,
  MessageCompression,
  OPCODE,
  SocketError,
} from "../../src/http/websocket_frames.ts";
import { bytesOf, textOf } from "../support/parsed.ts";
import { frame } from "../support/websocket_frame.ts";

/**
 * An event that the parser emits: the opcode, the content, and whether the content is compressed.
 */
type Event = [opcode: number, content: number[], compressed?: boolean];

/** Parses `bytes` in pieces of `size` bytes. */
function parse(bytes: Uint8Array, size = bytes.length, limit = 1e6, mayCompress = false): Event[] {
  const events: Event[] = [];
  const parser = new FrameParser(
    {
      message: (isText, content, compressed) =>
        events.push([isText ? OPCODE.text : OPCODE.binary, [...content], compressed]),
      control: (opcode, content) => events.push([opcode, [...content]]),
    },
    limit,
    mayCompress,
  );
  for (let at = 0; at < bytes.length; at += size) {
    const piece = bytes.slice(at, at + size);
    parser.push(piece, piece.length);
  }
  return events;
}

function joined(...parts: Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

const bytes = (length: number) => Uint8Array.from({ length }, (_, i) => i * 7 & 0xff);

Deno.test("FrameParser reads messages of all lengths, in pieces of any size", () => {
  for (const length of [0, 1, 125, 126, 127, 65_535, 65_536]) {
    const content = bytes(length);
    const whole = joined(frame(OPCODE.binary, content), frame(OPCODE.text, bytes(3)));
    const expected = [[2, [...content], false], [1, [0, 7, 14], false]];
    for (const size of [1, 7, whole.length]) assertEquals(parse(whole, size), expected);
  }
});

Deno.test("FrameParser joins fragments and passes on the control frames between them", () => {
  const whole = joined(
    frame(OPCODE.text, bytes(2), { last: false }),
    frame(OPCODE.ping, bytes(4)),
    frame(OPCODE.continuation, bytes(0), { last: false }),
    frame(OPCODE.continuation, bytes(300), { last: false }),
    frame(OPCODE.pong, bytes(0)),
    frame(OPCODE.continuation, bytes(1)),
    frame(OPCODE.close, bytes(2)),
  );
  const expected = [
    [9, [0, 7, 14, 21]],
    [10, []],
    [1, [0, 7, ...bytes(300), 0], false],
    [8, [0, 7]],
  ];
  for (const size of [1, 3, 100, whole.length]) assertEquals(parse(whole, size), expected);
});

Deno.test("FrameParser returns the same messages regardless of where the stream is split", () => {
  const content = fc.uint8Array({ maxLength: 300 });
  fc.assert(fc.property(
    fc.array(fc.tuple(fc.constantFrom(1, 2, 9, 10), content), { maxLength: 6 }),
    fc.integer({ min: 1, max: 50 }),
    (frames, size) => {
      const whole = joined(...frames.map(([opcode, content]) => frame(opcode, content)));
      const contents = (events: Event[]) => events.map(([opcode, content]) => [opcode, content]);
      assertEquals(
        contents(parse(whole, size)),
        frames.map(([opcode, content]) => [opcode, [...content]]),
      );
    },
  ));
});

Deno.test("FrameParser rejects frames that violate RFC 6455", () => {
  const cases: [string, Uint8Array, number?][] = [
    ["a reserved bit", frame(OPCODE.text, bytes(1), { reserved: 0x20 })],
    ["is masked", encodeFrame(OPCODE.text, bytes(1))],
    ["unknown opcode 3", frame(3, bytes(1))],
    ["unknown opcode 11", frame(11, bytes(1))],
    ["a control frame is fragmented", frame(OPCODE.ping, bytes(1), { last: false })],
    ["a control frame has 126 bytes", frame(OPCODE.ping, bytes(126))],
    ["a control frame is compressed", frame(OPCODE.pong, bytes(1), { reserved: 0x40 })],
    ["no first frame", frame(OPCODE.continuation, bytes(1))],
    [
      "before the previous one ends",
      joined(frame(OPCODE.text, bytes(1), { last: false }), frame(OPCODE.text, bytes(1))),
    ],
    ["compression was not negotiated", frame(OPCODE.text, bytes(1), { reserved: 0x40 })],
    ["larger than 1000 bytes", frame(OPCODE.text, bytes(1_001)), CLOSE.tooLarge],
    [
      "larger than 1000 bytes",
      joined(
        frame(OPCODE.text, bytes(600), { last: false }),
        frame(OPCODE.continuation, bytes(600)),
      ),
      CLOSE.tooLarge,
    ],
  ];
  for (const [why, whole, code = CLOSE.protocol] of cases) {
    const error = assertThrows(() => parse(whole, 1, 1_000), SocketError, why);
    assertEquals(error.code, code, why);
  }
});

Deno.test("only the first frame of a compressed message may have the compression bit", () => {
  const first = frame(OPCODE.text, bytes(1), { last: false, reserved: 0x40 });
  const end = frame(OPCODE.continuation, bytes(1));
  assertEquals(parse(joined(first, end), 1, 100, true), [[1, [0, 0], true]]);
  const wrong = joined(first, frame(OPCODE.continuation, bytes(1), { reserved: 0x40 }));
  assertThrows(() => parse(wrong, 1, 100, true), SocketError, "has the compression bit");
});

Deno.test("a masked frame decodes to its payload, for all lengths near a size limit", () => {
  for (const length of [0, 1, 2, 3, 4, 5, 63, 64, 65, 66, 67, 125, 126, 65_535, 65_536, 65_537]) {
    const encoded = encodeFrame(OPCODE.binary, bytes(length));
    const header = length < 126 ? 2 : length < 65_536 ? 4 : 10;
    assertEquals(encoded.length, header + 4 + length);
    assertEquals(encoded[1] & 0x80, 0x80);
    const mask = encoded.subarray(header, header + 4);
    const content = encoded.subarray(header + 4).map((byte, i) => byte ^ mask[i % 4]);
    assertEquals(content, bytes(length));
    const unmasked = joined(encoded.subarray(0, header), content);
    unmasked[1] &= 0x7f;
    assertEquals(parse(unmasked), [[2, [...bytes(length)], false]]);
  }
});

const TAIL = [0, 0, 0xff, 0xff];
const FLUSH = { finishFlush: constants.Z_SYNC_FLUSH };

/** Compresses messages with one stream, so that each message may refer to earlier messages. */
async function compressedTogether(messages: readonly Uint8Array[]): Promise<Uint8Array[]> {
  const stream = createDeflateRaw();
  const compressed: Uint8Array[] = [];
  for (const message of messages) {
    const chunks: Uint8Array[] = [];
    const collect = (chunk: Uint8Array) => chunks.push(chunk);
    stream.on("data", collect);
    stream.write(message);
    await new Promise<void>((resolve) => stream.flush(constants.Z_SYNC_FLUSH, resolve));
    stream.off("data", collect);
    const whole = Uint8Array.from(chunks.flatMap((chunk) => [...chunk]));
    compressed.push(whole.subarray(0, whole.length - TAIL.length));
  }
  stream.destroy();
  return compressed;
}

Deno.test("MessageCompression decompresses messages that refer to earlier messages", async () => {
  const random = Array.from({ length: 40 }, (_, i) => `${(i * 7919 % 1013).toString(36)}-`).join(
    "",
  );
  const messages = [random, random, `${random}${random}`, "", random].map(bytesOf);
  const compressed = await compressedTogether(messages);
  assert(compressed[1].length < compressed[0].length / 4, "the second message has references");
  const compression = new MessageCompression(15, true);
  for (const [i, message] of messages.entries()) {
    assertEquals(compression.decompress(compressed[i], 1e6), message);
  }
});

Deno.test("MessageCompression keeps the last 32 KiB of messages, so that later messages can refer to them", async () => {
  const first = crypto.getRandomValues(new Uint8Array(60_000));
  const second = first.subarray(30_000, 60_000);
  const [one, two] = await compressedTogether([first, second]);
  assert(two.length < 1_000, `${two.length}`);
  const compression = new MessageCompression(15, true);
  assertEquals(compression.decompress(one, 1e6), first);
  assertEquals(compression.decompress(two, 1e6), second);
});

Deno.test("MessageCompression compresses messages of 1 KiB or more, independently of each other", () => {
  const compression = new MessageCompression(15, true);
  const message = bytesOf("hello ".repeat(200));
  for (let i = 0; i < 2; i++) {
    const compressed = compression.compress(message)!;
    const whole = Uint8Array.from([...compressed, ...TAIL]);
    assertEquals(new Uint8Array(inflateRawSync(whole, FLUSH)), message);
  }
  assertEquals(compression.compress(bytesOf("hello")), undefined);
  assertEquals(compression.compress(crypto.getRandomValues(new Uint8Array(2_000))), undefined);
  assertEquals(new MessageCompression(8, true).compress(message), undefined);
});

Deno.test("MessageCompression rejects damaged messages, and messages that become too large", () => {
  const compression = new MessageCompression(15, true);
  const bomb = deflateRawSync(new Uint8Array(1e6), FLUSH);
  const large = assertThrows(() => compression.decompress(bomb, 1e5), SocketError, "100000 bytes");
  assertEquals(large.code, CLOSE.tooLarge);
  const damaged = () => compression.decompress(bytesOf("garbage!!"), 1e5);
  assertEquals(assertThrows(damaged, SocketError, "decompressed").code, CLOSE.invalidText);
});

Deno.test("acceptedCompression accepts only parameters that RFC 7692 allows in a response", () => {
  assertEquals(acceptedCompression(""), undefined);
  for (
    const header of [
      "permessage-deflate",
      "permessage-deflate; server_no_context_takeover; client_no_context_takeover",
      'permessage-deflate; client_max_window_bits=9; server_max_window_bits="15"',
    ]
  ) assert(acceptedCompression(header) !== undefined, header);
  for (
    const header of [
      "x-webkit-deflate-frame",
      "permessage-deflate, permessage-deflate",
      "permessage-deflate; client_max_window_bits",
      "permessage-deflate; client_max_window_bits=16",
      "permessage-deflate; unknown",
      "permessage-deflate; server_no_context_takeover=1",
      "permessage-deflate; server_no_context_takeover; server_no_context_takeover",
    ]
  ) assertThrows(() => acceptedCompression(header), Error, "the server selected", header);
});

Deno.test("MessageCompression does not keep a window if the server does not refer to earlier messages", () => {
  const compression = acceptedCompression("permessage-deflate; server_no_context_takeover")!;
  const message = deflateRawSync(bytesOf("hello"), FLUSH);
  assertEquals(textOf(compression.decompress(message.subarray(0, -4), 100)), "hello");
  assertEquals(textOf(compression.decompress(message.subarray(0, -4), 100)), "hello");
});
