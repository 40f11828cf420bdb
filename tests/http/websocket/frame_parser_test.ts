import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { encodeFrame, FrameParser, OPCODE } from "../../../src/http/websocket_frames.ts";
import { CLOSE, SocketError } from "../../../src/http/exchange_error.ts";
import { frame } from "../../support/websocket_frame.ts";

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
