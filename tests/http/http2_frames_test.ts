import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import fc from "fast-check";
import { HpackDecoder, HpackEncoder, HpackError } from "../../src/http/hpack.ts";
import type { Limits } from "../../src/http/network_options.ts";
import type { Outgoing } from "../../src/http/sender.ts";
import { connectHttp2, turn } from "../support/http2_client.ts";
import { http2Server } from "../support/http2_server.ts";
import { openClient, testOptions } from "../support/http_client.ts";
import { bytesOf, textOf } from "../support/parsed.ts";
import {
  ACK,
  data,
  END_HEADERS,
  END_STREAM,
  field,
  FRAME,
  frame,
  goaway,
  HAS_PRIORITY,
  head,
  int32,
  joined,
  PADDED,
  reset,
  settings,
  STATUS_103,
  STATUS_200,
} from "../support/raw_http2.ts";

const LIMITS: Limits = { headers: 20_000, body: 100_000 };

const trailers = (block: Uint8Array) => head(block, END_HEADERS | END_STREAM);
const continuation = (block: Uint8Array, flags = 0, stream = 1) =>
  frame(FRAME.continuation, flags, stream, block);
const oversized = (type: number) => frame(type, 0, 1, new Uint8Array(16_385));
const HEAD = head(STATUS_200);
const BODY = data("hello");
const OK: Expected = ["ok: hello"];
const LONG = joined(STATUS_200, field("x-long", "v".repeat(100)), field("x-more", "w".repeat(100)));
/** Block with 15,150 bytes of headers. */
const MANY = joined(...Array.from({ length: 150 }, () => field("x", "v".repeat(100))));

/**
 * Response or kind of error, message, and what the client sends in return: GOAWAY or RST_STREAM
 * with a code.
 */
type Expected = readonly [result: string, message?: RegExp, sent?: string];

/** Violation of the protocol after which the client closes the connection, with a code. */
const broken = (code: number, why: RegExp): Expected => ["protocol", why, `GOAWAY ${code}`];
/** Violation of the protocol after which the client resets only the stream. */
const refused = (why: RegExp): Expected => ["protocol", why, "RST 1"];
const zeros = (length: number) => new Uint8Array(length);
/** Head with these fields after the status. */
const headWith = (...fields: [string, string][]) =>
  head(joined(STATUS_200, ...fields.map(([name, value]) => field(name, value))));

/** What a server sends after its SETTINGS in response to the first request. */
const CASES: Record<string, readonly [Expected, ...frames: Uint8Array[]]> = {
  "a whole response": [OK, HEAD, BODY],
  "a response without a body": [["ok: "], head(STATUS_200, END_HEADERS | END_STREAM)],
  "a body in several frames, some of them empty": [
    OK,
    ...[HEAD, data("he", 0), data("", 0), data("llo", 0), data("")],
  ],
  "trailers": [OK, HEAD, data("hello", 0), trailers(field("x", "1"))],
  "headers and trailers that are below the limit separately": [
    OK,
    ...[head(joined(STATUS_200, MANY)), data("hello", 0), trailers(MANY)],
  ],
  "interim responses": [
    OK,
    ...[head(STATUS_103), head(joined(STATUS_103, field("link", "x"))), HEAD, BODY],
  ],
  "a header block in many frames": [
    OK,
    head(LONG.subarray(0, 7), 0),
    ...Array.from({ length: 20 }, (_, i) => continuation(LONG.subarray(7 + 7 * i, 14 + 7 * i))),
    continuation(LONG.subarray(147), END_HEADERS),
    BODY,
  ],
  "padding and priority": [
    OK,
    head(
      joined(Uint8Array.of(5), zeros(5), STATUS_200, zeros(5)),
      END_HEADERS | PADDED | HAS_PRIORITY,
    ),
    frame(FRAME.data, PADDED, 1, joined(Uint8Array.of(10), bytesOf("hel"), zeros(10))),
    frame(FRAME.data, PADDED, 1, joined(Uint8Array.of(3), zeros(3))),
    frame(
      FRAME.data,
      PADDED | END_STREAM,
      1,
      joined(Uint8Array.of(255), bytesOf("lo"), zeros(255)),
    ),
  ],
  "frames of unknown types, and PRIORITY": [
    OK,
    ...[frame(99, 255, 7, bytesOf("?")), HEAD, frame(FRAME.priority, 0, 1, zeros(5)), BODY],
  ],
  "updates of the table size to 0": [OK, head(joined(Uint8Array.of(0x20, 0x20), STATUS_200)), BODY],
  "a field for a table of size 0": [
    OK,
    head(joined(STATUS_200, Uint8Array.of(0x40, 1, 120, 1, 49))),
    BODY,
  ],
  "PING, SETTINGS and WINDOW_UPDATE": [
    OK,
    ...[frame(FRAME.ping, 0, 0, zeros(8)), settings([3, 10]), HEAD],
    ...[frame(FRAME.window, 0, 1, int32(9)), frame(FRAME.window, 0, 0, int32(9)), BODY],
  ],
  "a reset without an error after the end": [OK, HEAD, BODY, reset(1, 0)],
  "a reset after the end": [OK, HEAD, BODY, reset(1, 8)],
  "a GOAWAY after the end": [OK, HEAD, BODY, goaway(1)],
  "a response without a content-length to HEAD": [OK, HEAD, BODY],
  "equal content-lengths": [
    OK,
    headWith(["content-length", "5, 5"], ["content-length", "5"]),
    BODY,
  ],

  "a reset": [["reset", /INTERNAL_ERROR/], HEAD, data("he", 0), reset(1, 2)],
  "a reset without an error": [["reset", /NO_ERROR/], HEAD, data("he", 0), reset(1, 0)],
  "a reset with an unknown code": [["reset", /error code 77/], reset(1, 77)],
  "a refused stream": [["reset: unprocessed", /REFUSED_STREAM/], reset(1, 7)],
  "a stream that is refused after its head": [["reset", /REFUSED_STREAM/], HEAD, reset(1, 7)],
  "the end of the connection before the head": [["closed", /before the end/]],
  "the end of the connection": [["closed", /before the end/], HEAD, data("he", 0)],
  "the end of the connection in a frame": [
    ["closed", /before the end/],
    HEAD,
    BODY.subarray(0, 12),
  ],
  "GOAWAY and the end of the connection": [
    ["closed", /the end of the response \(GOAWAY, ENHANCE_YOUR_CALM: calm\\x1b\)/],
    HEAD,
    frame(FRAME.goaway, 0, 0, joined(int32(1), int32(11), bytesOf("calm\x1b"))),
  ],
  "GOAWAY below the stream": [["closed: unprocessed", /GOAWAY, NO_ERROR/], goaway(0)],
  "frames after the end of the connection": [
    ["closed: unprocessed", /GOAWAY/],
    goaway(0),
    continuation(STATUS_200, END_HEADERS),
  ],
  "GOAWAY below a stream that has begun": [["closed", /GOAWAY, NO_ERROR/], HEAD, goaway(0)],

  "HTTP/1": [broken(1, /it is HTTP\/1/), bytesOf("HTTP/1.1 400 Bad Request\r\n\r\n")],
  "a first frame that is not SETTINGS": [broken(1, /first frame/), HEAD, BODY],
  "a block that refers to the dynamic table": [
    broken(9, /entry 62/),
    head(Uint8Array.of(0x88, 0xbe)),
  ],
  "a larger table than the client allows": [
    broken(9, /table is larger/),
    head(joined(Uint8Array.of(0x3f, 0xe1, 0x1f), STATUS_200)),
  ],
  "a change of the table size within a block": [
    broken(9, /within the block/),
    head(joined(STATUS_200, Uint8Array.of(0x20))),
  ],
  "a block that ends in a field": [
    broken(9, /in the middle/),
    head(joined(STATUS_200, Uint8Array.of(0, 5, 120))),
  ],
  "wrong padding of a Huffman code": [
    broken(9, /padding of a string/),
    head(Uint8Array.of(0x88, 0x0f, 0x10, 0x81, 0x00)),
  ],
  "a frame within a header block": [
    broken(1, /interrupted/),
    head(STATUS_200, 0),
    frame(FRAME.ping, 0, 0, zeros(8)),
  ],
  "a part of the block of another stream": [
    broken(1, /interrupted/),
    head(STATUS_200, 0),
    continuation(STATUS_200, END_HEADERS, 3),
  ],
  "CONTINUATION without a beginning": [
    broken(1, /no beginning/),
    continuation(STATUS_200, END_HEADERS),
  ],
  "a flood of CONTINUATION": [
    ["too_large", /larger than 20000 bytes/, "GOAWAY 11"],
    head(STATUS_200, 0),
    ...Array.from({ length: 3_000 }, () => continuation(zeros(0))),
  ],
  "padding longer than the data": [
    broken(1, /padding/),
    HEAD,
    frame(FRAME.data, PADDED, 1, Uint8Array.of(9, 120)),
  ],
  "padding longer than the block": [
    broken(1, /padding/),
    frame(FRAME.headers, PADDED | END_HEADERS, 1, Uint8Array.of(2, 0x88)),
  ],
  "padding without a length": [broken(1, /padding/), HEAD, frame(FRAME.data, PADDED, 1)],
  "priority without its fields": [
    broken(1, /padding/),
    frame(FRAME.headers, HAS_PRIORITY | END_HEADERS, 1, STATUS_200),
  ],
  "a DATA frame that is too large": [broken(6, /larger than 16384/), HEAD, oversized(FRAME.data)],
  "a HEADERS frame that is too large": [broken(6, /larger than 16384/), oversized(FRAME.headers)],
  "a stream of the server": [broken(1, /stream 2/), head(STATUS_200, 4, 2)],
  "a stream that has not begun": [broken(1, /stream 3/), head(STATUS_200, 4, 3)],
  "data of the connection": [broken(1, /stream 0/), data("x", 0, 0)],
  "a reset of a stream that has not begun": [broken(1, /stream 5/), reset(5, 8)],
  "a push": [broken(1, /push/), frame(FRAME.push, END_HEADERS, 1, int32(2))],
  "a PING of seven bytes": [broken(6, /PING/), frame(FRAME.ping, 0, 0, zeros(7))],
  "a PING of a stream": [broken(1, /PING/), frame(FRAME.ping, 0, 1, zeros(8))],
  "SETTINGS of a stream": [broken(1, /SETTINGS/), frame(FRAME.settings, 0, 1)],
  "SETTINGS of five bytes": [broken(6, /SETTINGS/), frame(FRAME.settings, 0, 0, zeros(5))],
  "an acknowledgment with settings": [
    broken(6, /SETTINGS/),
    frame(FRAME.settings, ACK, 0, zeros(6)),
  ],
  "a window above the maximum": [broken(3, /window/), settings([4, 2 ** 31])],
  "a frame size below the minimum": [broken(1, /frame size/), settings([5, 100])],
  "a window update of 0": [broken(1, /WINDOW_UPDATE/), frame(FRAME.window, 0, 0, int32(0))],
  "window updates above the maximum": [
    broken(3, /WINDOW_UPDATE/),
    frame(FRAME.window, 0, 0, int32(0x7fffffff)),
  ],
  "a window update of three bytes": [
    broken(6, /WINDOW_UPDATE/),
    frame(FRAME.window, 0, 0, zeros(3)),
  ],
  "a window update of a stream of 0": [
    refused(/WINDOW_UPDATE/),
    frame(FRAME.window, 0, 1, int32(0)),
  ],
  "a GOAWAY of a stream": [broken(1, /GOAWAY/), frame(FRAME.goaway, 0, 1, zeros(8))],
  "a GOAWAY of seven bytes": [broken(6, /GOAWAY/), frame(FRAME.goaway, 0, 0, zeros(7))],
  "a reset of three bytes": [broken(6, /RST_STREAM/), frame(FRAME.reset, 0, 1, zeros(3))],

  "data before the head": [refused(/precedes/), BODY],
  "a second head": [refused(/second head/), HEAD, data("he", 0), HEAD],
  "a status in trailers": [refused(/forbids/), HEAD, trailers(STATUS_200)],
  "an interim response that ends the stream": [refused(/interim/), trailers(STATUS_103)],
  "a head without a status": [refused(/no valid status/), head(field("x", "1"))],
  "a status of two digits": [refused(/no valid status/), head(field(":status", "20"))],
  "a switch of protocols": [refused(/no valid status/), head(field(":status", "101"))],
  "two statuses": [refused(/":status" in/), head(joined(STATUS_200, STATUS_200))],
  "a status after a header": [refused(/":status" in/), head(joined(field("x", "1"), STATUS_200))],
  "a pseudo-header of requests": [refused(/":path" in/), headWith([":path", "/"])],
  "a name with an upper-case letter": [refused(/forbids/), headWith(["X", "1"])],
  "a value with a line break": [refused(/forbids/), headWith(["x", "1\r\ny: 2"])],
  "a header of the connection": [refused(/forbids/), headWith(["transfer-encoding", "chunked"])],
  "different content-lengths": [
    refused(/content-length/),
    headWith(["content-length", "5"], ["content-length", "6"]),
  ],
  "a content-length that is no number": [
    refused(/content-length/),
    headWith(["content-length", "0x5"]),
  ],
  "a body shorter than its content-length": [
    refused(/length is 10, but its body has 5 bytes/),
    headWith(["content-length", "10"]),
    BODY,
  ],
  "a body longer than its content-length": [
    refused(/length is 1, but its body has 5 bytes/),
    headWith(["content-length", "1"]),
    BODY,
  ],
  "a body of a response that has none": [
    refused(/must not have a body/),
    head(Uint8Array.of(0x89)),
    BODY,
  ],
  "a body above the limit": [
    ["too_large", /body is larger than 100000 bytes/, "RST 8"],
    HEAD,
    ...Array.from({ length: 11 }, () => data("x".repeat(10_000), 0)),
  ],
  "headers above the limit": [
    ["too_large", /headers are larger than 20000 bytes/, "RST 8"],
    // Each byte is the header `accept-encoding: gzip, deflate`.
    head(joined(STATUS_200, new Uint8Array(1_000).fill(0x90))),
  ],
  "a flood of interim responses": [
    ["too_large", /headers are larger than 20000 bytes/, "RST 8"],
    ...Array.from({ length: 3_000 }, () => head(STATUS_103)),
  ],
};

/** Sends a request, delivers `bytes` in pieces of `size` bytes, and ends the connection. */
async function outcome(bytes: Uint8Array, size?: number, changes: Partial<Outgoing> = {}) {
  const { wire, send, connection, frames } = connectHttp2({ limits: LIMITS });
  const sending = send(changes);
  await turn();
  wire.deliver(bytes, size);
  wire.end();
  const { error, unprocessed, ...response } = await sending;
  await turn();
  const [{ payload = undefined, type = 0 } = {}] = frames().filter(({ type }) =>
    type === FRAME.goaway || type === FRAME.reset
  );
  const code = payload?.at(-1) ?? 0;
  assertEquals([connection.usable, wire.isClosed], [false, true]);
  return {
    result: error === undefined
      ? `ok: ${textOf(response.body)}`
      : unprocessed
      ? `${error}: unprocessed`
      : error,
    message: response.message,
    sent: payload && `${type === FRAME.goaway ? "GOAWAY" : "RST"} ${code}`,
    headers: response.headers,
    // The sizes of a failed response depend on what has arrived with the error.
    bodySize: error === undefined && response.bodySize,
    bytesReceived: error === undefined && response.bytesReceived,
  };
}

for (const [name, [[result, message, sent], ...frames]] of Object.entries(CASES)) {
  Deno.test(`http2 frames: ${name}`, async () => {
    const preface = /^HTTP\/1$|first frame/.test(name) ? [] : [settings()];
    const bytes = joined(...preface, ...frames);
    const whole = await outcome(bytes);
    assertEquals([whole.result, whole.sent], [result, sent], whole.message);
    assertMatch(whole.message ?? "", message ?? /^$/);
    if (whole.result.startsWith("ok") && !/after the end/.test(name)) {
      assertEquals(whole.bytesReceived, bytes.length);
    }
    const events = await outcome(bytes, undefined, { stream: { push: () => false } });
    assertEquals(events.result.split(":")[0], result.split(":")[0], "as an event stream");
    for (const size of [1, 2, 3, 7, 10, 100, 4_095, 4_096]) {
      if (bytes.length / size < 20_000) assertEquals(await outcome(bytes, size), whole, `${size}`);
    }
  });
}

Deno.test("http2 frames: any bytes, in pieces of any size, have the same outcome as in one piece", async () => {
  const known = Object.values(CASES).flatMap(([, ...frames]) => frames)
    .filter(({ length }) => length < 500);
  const pieces = fc.array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...known) },
      {
        weight: 1,
        arbitrary: fc.tuple(
          fc.nat(10),
          fc.nat(255),
          fc.nat(3),
          fc.uint8Array({ maxLength: 40 }),
        ).map(([type, flags, stream, payload]) => frame(type, flags, stream, payload)),
      },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }) },
    ),
    { maxLength: 12 },
  );
  await fc.assert(
    fc.asyncProperty(pieces, fc.integer({ min: 1, max: 60 }), async (frames, size) => {
      const bytes = joined(settings(), ...frames);
      const whole = await outcome(bytes);
      assertMatch(whole.result, /^(ok: |reset|closed|protocol|too_large)/);
      assertEquals(await outcome(bytes, size), whole);
    }),
  );
});

interface GeneratedResponse {
  readonly value: string;
  readonly body: Uint8Array;
  readonly interim: number;
  /** Maximum size of a frame's content. */
  readonly size: number;
  readonly padding: number | null;
  readonly hasTrailers: boolean;
}

/** Returns the frames of a response. Frames that must follow each other are joined. */
function* responseFrames(response: GeneratedResponse, stream: number): Generator<Uint8Array> {
  const { value, body, interim, size, padding, hasTrailers } = response;
  const padded = (bytes: Uint8Array) =>
    padding === null ? bytes : joined(Uint8Array.of(padding), bytes, new Uint8Array(padding));
  const flag = padding === null ? 0 : PADDED;
  const block = function (bytes: Uint8Array, flags: number): Uint8Array {
    const parts = Array.from(
      { length: Math.ceil(bytes.length / size) },
      (_, i) => bytes.subarray(i * size, (i + 1) * size),
    );
    const last = (i: number) => i === parts.length - 1 ? END_HEADERS : 0;
    return joined(
      ...parts.map((part, i) =>
        i === 0
          ? head(padded(part), flags | flag | last(i), stream)
          : continuation(part, last(i), stream)
      ),
    );
  };
  for (let i = 0; i < interim; i++) yield block(joined(STATUS_103, field("x", value)), 0);
  yield block(joined(STATUS_200, field("x", value)), 0);
  for (let at = 0; at < body.length; at += size) {
    yield frame(FRAME.data, flag, stream, padded(body.subarray(at, at + size)));
  }
  yield hasTrailers
    ? block(field("x-end", value), END_STREAM)
    : frame(FRAME.data, END_STREAM | flag, stream, padded(new Uint8Array(0)));
}

Deno.test("http2 frames: responses that arrive in turns and in pieces of any size are not mixed up", async () => {
  const responses = fc.array(
    fc.record({
      value: fc.stringMatching(/^[ -~]{0,100}$/),
      body: fc.uint8Array({ maxLength: 600 }),
      interim: fc.nat(2),
      size: fc.integer({ min: 1, max: 300 }),
      padding: fc.option(fc.nat(20)),
      hasTrailers: fc.boolean(),
    }),
    { minLength: 1, maxLength: 5 },
  );
  const turns = fc.infiniteStream(fc.nat(4));
  const sizes = fc.integer({ min: 1, max: 2_000 });
  await fc.assert(fc.asyncProperty(responses, turns, sizes, async (expected, turns, size) => {
    const { wire, send, connection } = connectHttp2();
    const sending = expected.map(() => send());
    const left = expected.map((response, i) => [...responseFrames(response, 2 * i + 1)]);
    const bytes = [settings()];
    for (const index of turns) {
      const waiting = left.filter(({ length }) => length > 0);
      if (waiting.length === 0) break;
      bytes.push(waiting[index % waiting.length].shift()!);
    }
    wire.deliver(joined(...bytes), size);
    const found = (await Promise.all(sending))
      .map(({ message, headers, body }) => [message, headers, body]);
    const right = expected.map(({ value, body }) => [undefined, [["x", value]], body]);
    assertEquals(found, right);
    connection.close();
  }));
});

type Field = [name: string, value: string];

function decode(bytes: Uint8Array, from = 0, to = bytes.length): Field[] {
  const fields: Field[] = [];
  new HpackDecoder().decode(bytes, from, to, (name, value) => void fields.push([name, value]));
  return fields;
}

const encoder = new HpackEncoder();

function encode(fields: readonly Field[], announcesTable: boolean): Uint8Array {
  if (announcesTable) encoder.announceTable();
  for (const [name, value] of fields) encoder.add(name, value);
  return encoder.take();
}

const hex = (text: string) => Uint8Array.fromHex(text.replaceAll(" ", ""));

/** Examples of RFC 7541, Appendix C, that do not refer to a dynamic table. */
const EXAMPLES: Record<string, Field[]> = {
  "400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572": [
    ["custom-key", "custom-header"],
  ],
  "040c 2f73 616d 706c 652f 7061 7468": [[":path", "/sample/path"]],
  "1008 7061 7373 776f 7264 0673 6563 7265 74": [["password", "secret"]],
  "82": [[":method", "GET"]],
  "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff": [
    [":method", "GET"],
    [":scheme", "http"],
    [":path", "/"],
    [":authority", "www.example.com"],
  ],
  "4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff 6e91 9d29 ad17 1863 c78f 0b97 c8e9 ae82 ae43 d3":
    [
      [":status", "302"],
      ["cache-control", "private"],
      ["date", "Mon, 21 Oct 2013 20:13:21 GMT"],
      ["location", "https://www.example.com"],
    ],
};

for (const [text, fields] of Object.entries(EXAMPLES)) {
  Deno.test(`hpack: decodes the example ${text.slice(0, 30)} of RFC 7541`, () => {
    assertEquals(decode(hex(text)), fields);
    const padded = joined(new Uint8Array(3), hex(text), new Uint8Array(3));
    assertEquals(decode(padded, 3, padded.length - 3), fields);
  });
}

Deno.test("hpack: rejects blocks that are not valid, or refer to a dynamic table", () => {
  const cut = "it ends in the middle of a field";
  const blocks: Record<string, string> = {
    "80": "it refers to entry 0, which does not exist",
    "be": "it refers to entry 62, which does not exist",
    "7f 00": "it refers to entry 63, which does not exist",
    "ff": cut,
    "00": cut,
    "00 05 61": cut,
    "04 83 ff": cut,
    "21": "its dynamic table is larger than 0",
    "82 20": "the size of the dynamic table changes within the block",
    "ff ff ff ff ff 0f": "a number is too large",
    "ff 80 80 80 80 80 80 80 80 00": "a number is too large",
    "00 84 ff ff ff ff 00": "a string contains its end symbol",
    "04 81 00": "the padding of a string is invalid",
    "04 82 1f ff": "the padding of a string is invalid",
  };
  for (const [text, message] of Object.entries(blocks)) {
    assertThrows(() => decode(hex(text)), HpackError, message, text);
  }
});

Deno.test("hpack: returns the fields of any block that it encodes", () => {
  const name = fc.oneof(
    fc.constantFrom(":path", ":method", "accept", "cookie", "x-a"),
    fc.stringMatching(/^[a-z-]{1,30}$/),
  );
  const value = fc.oneof(
    fc.constantFrom("", "GET", "/", "gzip, deflate"),
    fc.string({ maxLength: 300, unit: "grapheme" }),
    fc.integer({ min: 120, max: 20_000 }).map((length) => "x".repeat(length)),
  );
  const fields = fc.array(fc.tuple(name, value), { maxLength: 8 });
  fc.assert(fc.property(fields, fc.boolean(), (fields, announces) => {
    const wellFormed = fields.map(([name, value]): Field => [name, value.toWellFormed()]);
    assertEquals(decode(encode(wellFormed, announces)), wellFormed);
  }));
});

Deno.test("hpack: reads any bytes as fields, or throws HpackError", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
    try {
      for (const [name, value] of decode(bytes)) assertEquals(typeof name, typeof value);
    } catch (error) {
      if (!(error instanceof HpackError)) throw error;
    }
  }));
});

Deno.test("hpack: node:http2 decodes our blocks, and we decode its Huffman codes", async () => {
  await using server = await http2Server(false, ({ headers }, response) => {
    for (const name of ["x-a", "x-b"]) response.setHeader(name, headers[name] ?? "");
    response.end();
  });
  using client = openClient(testOptions({ version: "http2" }));
  // All printable ASCII characters: their codes have 5 to 28 bits.
  const value = fc.stringMatching(/^([!-~][ -~]{0,80}[!-~])?$/);
  await fc.assert(fc.asyncProperty(value, value, async (a, b) => {
    const response = await client.send(server.url, { headers: [["X-A", a], ["X-B", b]] });
    assertEquals(response.error, undefined, response.message);
    const values = new Map(response.headers);
    assertEquals([values.get("x-a"), values.get("x-b")], [a, b]);
  }));
});
