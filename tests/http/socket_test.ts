import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import fc from "fast-check";
import { createHash } from "node:crypto";
import { constants, createDeflateRaw, deflateRawSync } from "node:zlib";
import { ReadBuffers, type Wire } from "../../src/http/connection.ts";
import type { Limits, NetworkOptions } from "../../src/http/network_options.ts";
import {
  type ErrorKind,
  HttpResponse,
  type HttpSession,
  type Socket,
  type SocketEnd,
  type SocketMessage,
  type SocketRequest,
} from "../../src/http/sender.ts";
import { SocketConnection } from "../../src/http/socket_connection.ts";
import {
  acceptedCompression,
  CLOSE,
  encodeFrame,
  FrameParser,
  MessageCompression,
  OPCODE,
  SocketError,
} from "../../src/http/websocket_frames.ts";
import { openClient, testOptions, testRequest } from "../support/http_client.ts";
import { bytesOf, textOf } from "../support/parsed.ts";
import { joined } from "../support/raw_http2.ts";
import { pem, serverPair } from "../support/test_certificates.ts";
import { type ClientFrame, frame, parseClientFrame } from "../support/websocket_frame.ts";
import { type Peer, type WireServer, wireServer } from "../support/wire_server.ts";

/** Returns the response that accepts the WebSocket handshake in the request head `head`. */
function accepting(head: string, more: string = ""): string {
  const [, key] = /Sec-WebSocket-Key: (\S+)/.exec(head)!;
  const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest("base64");
  return "HTTP/1.1 101 Switching Protocols\r\nupgrade: WebSocket\r\nConnection: keep-alive, Upgrade\r\n" +
    `Sec-WebSocket-Accept: ${accept}\r\n${more}\r\n`;
}

/** Reads one frame that a client sends to `peer`. */
async function readFrame(peer: Peer): Promise<ClientFrame> {
  let bytes = new Uint8Array(0);
  for (;;) {
    const more = await peer.body(1);
    if (more.length === 0) throw new Error("the client closed the connection");
    bytes = Uint8Array.from([...bytes, ...more]);
    const parsed = parseClientFrame(bytes);
    if (parsed !== undefined) return parsed;
  }
}

/** The result of opening a WebSocket, and the messages that have arrived. */
interface Opened {
  readonly session: HttpSession;
  readonly socket: Socket | undefined;
  readonly response: HttpResponse;
  readonly messages: SocketMessage[];
  readonly ended: Promise<SocketEnd>;
}

/** Opens a WebSocket and passes it to `use`. */
async function withSocket(
  { url }: WireServer,
  changes: Partial<SocketRequest>,
  use: (opened: Opened) => Promise<void> | void,
  options: NetworkOptions = testOptions(),
): Promise<void> {
  using client = openClient(options);
  const response = new HttpResponse();
  const request = {
    ...testRequest(`${url}chat?a=1`),
    subprotocols: [],
    compression: false,
    ...changes,
  };
  const socket = await client.session.openSocket(request, response);
  const messages: SocketMessage[] = [];
  const { promise: ended, resolve } = Promise.withResolvers<SocketEnd>();
  socket?.listen({ onMessage: (message) => void messages.push(message), onEnd: resolve });
  await use({ socket, response, messages, ended, session: client.session });
}

const CLOSE_1000 = frame(8, Uint8Array.of(0x03, 0xe8));

Deno.test("WebSocket client: opens a WebSocket, exchanges messages and closes it", async () => {
  const frames: ClientFrame[] = [];
  let head = "";
  await using server = wireServer(async (peer) => {
    head = await peer.head();
    const more = "Sec-WebSocket-Protocol: v2\r\nSet-Cookie: a=1\r\n";
    await peer.write(accepting(head, more));
    await peer.write(frame(1, "wélcome"));
    frames.push(await readFrame(peer), await readFrame(peer));
    await peer.write(frame(2, Uint8Array.of(0, 255)));
    frames.push(await readFrame(peer));
    await peer.write(frame(8, Uint8Array.of(0x0b, 0xb8, 98, 121, 101)));
    await peer.untilClosed();
  });
  const headers = [["Origin", "http://a"], ["Sec-WebSocket-Key", "mine"]] as const;
  await withSocket(server, { headers, subprotocols: ["v1", "v2"] }, async (opened) => {
    const { socket, response, messages, ended } = opened;
    assertEquals([response.status, response.error], [101, undefined]);
    assertEquals(response.headers.find(([name]) => name === "set-cookie"), ["set-cookie", "a=1"]);
    await socket!.send(bytesOf("hello"), true);
    await socket!.send(Uint8Array.of(1, 2), false);
    socket!.close(1000, "done");
    const { code, reason, error } = await ended;
    assertEquals([code, reason, error], [3000, "bye", undefined]);
    assertEquals(messages, ["wélcome", Uint8Array.of(0, 255)]);
    assertEquals([socket!.bytesSent, socket!.bytesReceived], [11 + 8 + 12, 10 + 4 + 7]);
  });
  assertEquals(frames.map(({ opcode, content }) => [opcode, [...content]]), [
    [1, [...bytesOf("hello")]],
    [2, [1, 2]],
    [8, [0x03, 0xe8, ...bytesOf("done")]],
  ]);
  assertStringIncludes(head, "GET /chat?a=1 HTTP/1.1\r\n");
  assertStringIncludes(head, "Connection: Upgrade\r\nUpgrade: websocket\r\n");
  assertStringIncludes(head, "Origin: http://a\r\nSec-WebSocket-Protocol: v1, v2\r\n");
  assert(!head.includes("mine") && !head.includes("Extensions"));
});

Deno.test("WebSocket client: an upgrade may be preceded by interim responses", async () => {
  await using server = wireServer(async (peer) => {
    const head = await peer.head();
    await peer.write("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 102 Pro");
    await peer.write(`cessing\r\n\r\n${accepting(head)}`);
    await peer.write(frame(1, "hi"));
    await readFrame(peer);
  });
  await withSocket(server, {}, async ({ socket, response, messages, ended }) => {
    assertEquals([response.status, response.error], [101, undefined], response.message);
    assertEquals(response.headers.some(([name]) => name === "link"), false);
    while (messages.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    socket!.close(1000, "");
    await ended;
    assertEquals(messages, ["hi"]);
  });
});

Deno.test("WebSocket client: has at most one unsent pong, for the latest ping", async () => {
  const writes: Uint8Array[] = [];
  const first = Promise.withResolvers<void>();
  const reads = [joined(...Array.from({ length: 100 }, (_, i) => frame(9, String(i)))), null];
  const wire: Wire = {
    read(into) {
      const bytes = reads.shift();
      if (bytes) into.set(bytes);
      return Promise.resolve(bytes === null ? null : bytes!.length);
    },
    async write(bytes) {
      writes.push(bytes);
      await first.promise;
      return bytes.length;
    },
    close() {},
  };
  const { promise: ended, resolve } = Promise.withResolvers<SocketEnd>();
  const socket = new SocketConnection(wire, {
    rest: new Uint8Array(0),
    compression: undefined,
    buffers: new ReadBuffers(),
    onClosed() {},
    limit: 1_000,
  });
  socket.listen({ onMessage() {}, onEnd: resolve });
  await ended;
  first.resolve();
  while (writes.length < 2) await Promise.resolve();
  const pongs = writes.map((bytes) => parseClientFrame(bytes)!);
  assertEquals(pongs.map(({ content }) => textOf(content)), ["0", "99"]);
});

const NOT_101 = "the server did not open the WebSocket: status";
const INVALID = "the response is not valid for a WebSocket: the";
const CUT = "the server closed the connection";

/** Responses to the head of an upgrade request, with the error that the client reports. */
const REFUSALS: readonly [respond: (head: string) => string, kind: ErrorKind, message: string][] = [
  [
    () => "HTTP/1.1 403 Forbidden\r\nContent-Length: 8\r\n\r\nno entry",
    "upgrade",
    `${NOT_101} 403 instead of 101: no entry`,
  ],
  [
    () => "HTTP/1.1 302 Found\r\nLocation: /login\r\n\r\n",
    "upgrade",
    `${NOT_101} 302 instead of 101, a redirect to /login`,
  ],
  [
    (head) => accepting(head.replace(/Key: (.)/, (_, c) => c === "x" ? "Key: y" : "Key: x")),
    "upgrade",
    `${INVALID} header \`Sec-WebSocket-Accept\` does not match the key of the request`,
  ],
  [
    (head) => accepting(head).replace("upgrade: WebSocket", "upgrade: h2c"),
    "upgrade",
    `${INVALID} header \`Upgrade\` is not "websocket"`,
  ],
  [
    (head) => accepting(head).replace("keep-alive, Upgrade", "keep-alive"),
    "upgrade",
    `${INVALID} header \`Connection\` does not contain "Upgrade"`,
  ],
  [
    (head) => accepting(head, "Sec-WebSocket-Protocol: v9\r\n"),
    "upgrade",
    `${INVALID} server selected the subprotocol "v9", which was not offered`,
  ],
  [
    (head) => accepting(head, "Sec-WebSocket-Extensions: x-snappy\r\n"),
    "upgrade",
    `${INVALID} server selected an extension that was not offered: x-snappy`,
  ],
  [() => "", "closed", `${CUT} without a response`],
  [() => "HTTP/1.1 101", "closed", `${CUT} before the end of the response`],
  [
    () => "SSH-2.0-x\r\n\r\n",
    "protocol",
    'the response is not valid HTTP/1: it starts with "SSH-2.0-x" instead of a status line',
  ],
  [() => "HTTP/1.1 101 x\r\n", "timeout", "no complete response within 50ms"],
  [
    () => `HTTP/1.1 101 x\r\na: ${"b".repeat(2 ** 20)}\r\n`,
    "too_large",
    "the response headers are larger than 1048576 bytes",
  ],
];

for (const [respond, kind, message] of REFUSALS) {
  Deno.test(`WebSocket client: reports why a WebSocket was not opened: ${message}`, async () => {
    await using server = wireServer(async (peer) => {
      await peer.write(respond(await peer.head()));
      if (kind === "timeout" || kind === "too_large") await peer.untilClosed();
    });
    const timeoutMs = kind === "timeout" ? 50 : 60_000;
    await withSocket(server, { timeoutMs }, ({ socket, response }) => {
      assertEquals([socket, response.error, response.message], [undefined, kind, message]);
    });
  });
}

/**
 * Opens a WebSocket to a server that sends `bytes`. Returns how the WebSocket ended, and the close
 * code that the client sent.
 */
async function endAfter(bytes: Uint8Array, limits: Limits, extension: string) {
  let sent: ClientFrame | undefined;
  await using server = wireServer(async (peer) => {
    const more = extension && `Sec-WebSocket-Extensions: ${extension}\r\n`;
    await peer.write(accepting(await peer.head(), more));
    await peer.write(bytes);
    sent = await readFrame(peer);
    await peer.untilClosed();
  });
  let end: SocketEnd | undefined;
  await withSocket(server, { compression: extension !== "" }, async ({ ended }) => {
    end = await ended;
    // Waits until the server has read the close frame.
    while (sent === undefined) await new Promise((resolve) => setTimeout(resolve));
  }, testOptions({ limits }));
  const code = sent!.content.length < 2 ? undefined : sent!.content[0] << 8 | sent!.content[1];
  return { error: end!.error, message: end!.message, code };
}

const VIOLATION = "the server violated the WebSocket protocol:";

/** Frames of a server, and how the WebSocket ends: the error, the message and the close code. */
const ENDS: Record<string, [frame: Uint8Array, error?: string, message?: string, code?: number]> = {
  "invalid text": [
    frame(1, Uint8Array.of(0xff)),
    "protocol",
    `${VIOLATION} a text message is not valid UTF-8`,
    1007,
  ],
  "an unknown opcode": [frame(3, "x"), "protocol", `${VIOLATION} unknown opcode 3`, 1002],
  "one byte of a code": [
    frame(8, Uint8Array.of(3)),
    "protocol",
    `${VIOLATION} a close frame has no valid code`,
    1002,
  ],
  "a reserved code": [
    frame(8, Uint8Array.of(0x03, 0xee)),
    "protocol",
    `${VIOLATION} a close frame has no valid code`,
    1002,
  ],
  "a large message": [
    frame(1, "x".repeat(2_000)),
    "too_large",
    "a message is larger than 1000 bytes",
    1009,
  ],
  "a damaged message": [
    frame(1, "\xff\xff\xff", { reserved: 0x40 }),
    "protocol",
    "a message cannot be decompressed: ",
    1007,
  ],
  "a close frame": [CLOSE_1000, undefined, undefined, 1000],
  "a close frame without a code": [frame(8, "")],
};

for (const [name, [frame, error, message, code]] of Object.entries(ENDS)) {
  Deno.test(`WebSocket client: ends the WebSocket with the right close code after ${name}`, async () => {
    const extension = name.includes("damaged") ? "permessage-deflate" : "";
    const end = await endAfter(frame, { headers: 1e6, body: 1_000 }, extension);
    assertEquals([end.error, end.code], [error, code]);
    assertEquals(end.message?.slice(0, message?.length), message);
  });
}

Deno.test("WebSocket client: responds to a ping with a pong that has the same payload", async () => {
  let pong: ClientFrame | undefined;
  await using server = wireServer(async (peer) => {
    await peer.write(accepting(await peer.head()));
    await peer.write(frame(9, "are you there?"));
    pong = await readFrame(peer);
    await peer.write(CLOSE_1000);
  });
  await withSocket(server, {}, async ({ ended }) => void await ended);
  assertEquals([pong!.opcode, textOf(pong!.content)], [10, "are you there?"]);
});

Deno.test("WebSocket client: reports a connection that ends without a close frame", async () => {
  await using server = wireServer(async (peer) => peer.write(accepting(await peer.head())));
  await withSocket(server, {}, async ({ ended }) => {
    const { code, error, message } = await ended;
    assertEquals([code, error, message], [
      1006,
      "closed",
      "the server closed the connection without a close frame",
    ]);
  });
});

Deno.test("closing the session cancels its WebSockets", async () => {
  await using server = wireServer(async (peer) => {
    await peer.write(accepting(await peer.head()));
    await peer.untilClosed();
  });
  await withSocket(server, {}, async ({ session, ended }) => {
    session.close();
    assertEquals((await ended).error, "cancelled");
  });
});

Deno.test("WebSocket client: compresses large messages, and reads compressed ones, if the server agrees", async () => {
  let received: ClientFrame | undefined;
  await using server = wireServer(async (peer) => {
    const head = await peer.head();
    assertStringIncludes(
      head,
      "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n",
    );
    await peer.write(accepting(head, "Sec-WebSocket-Extensions: permessage-deflate\r\n"));
    received = await readFrame(peer);
    await peer.write(frame(1, received.content, { reserved: 0x40 }));
    await peer.write(CLOSE_1000);
    await peer.untilClosed();
  });
  const text = "message ".repeat(500);
  await withSocket(server, { compression: true }, async ({ socket, messages, ended }) => {
    await socket!.send(bytesOf(text), true);
    await ended;
    assertEquals(messages, [text]);
  });
  assert(received!.compressed && received!.content.length < 100);
});

Deno.test("WebSocket client: opens a WebSocket over TLS, with Deno's and with Node's sockets", async () => {
  const ca = pem("ca.pem");
  await using server = wireServer(async (peer) => {
    await peer.write(accepting(await peer.head()));
    await peer.write(frame(1, "secret"));
    await peer.write(CLOSE_1000);
    await peer.untilClosed();
  }, serverPair());
  const { tls } = testOptions();
  for (const changes of [{ ca }, { insecureSkipVerify: true }]) {
    const options = testOptions({ tls: { ...tls, serverName: "localhost", ...changes } });
    await withSocket(server, {}, async ({ response, messages, ended }) => {
      assertEquals([response.status, response.message], [101, undefined]);
      await ended;
      assertEquals(messages, ["secret"]);
      assert(response.tlsMs > 0);
    }, options);
  }
});

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

const bytes = (length: number) => Uint8Array.from({ length }, (_, i) => i * 7 & 0xff);

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
