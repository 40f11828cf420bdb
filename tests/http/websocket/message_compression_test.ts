import { assert, assertEquals, assertThrows } from "@std/assert";
import { constants, createDeflateRaw, deflateRawSync, inflateRawSync } from "node:zlib";
import { acceptedCompression, MessageCompression } from "../../../src/http/websocket_frames.ts";
import { CLOSE, SocketError } from "../../../src/http/exchange_error.ts";
import { bytesOf, textOf } from "../../support/parsed.ts";

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
