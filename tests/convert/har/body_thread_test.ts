import { assert, assertEquals, assertThrows } from "@std/assert";
import { fileIdentity } from "../../../src/base/bytes/chunks.ts";
import { FileRanges } from "../../../src/base/bytes/file_ranges.ts";
import { InputError } from "../../../src/base/errors.ts";
import { convertHar, type HarConversion } from "../../../src/convert/from_har.ts";
import type { HarOptions } from "../../../src/convert/har/har_options.ts";
import type { SharedRing } from "../../../src/traffic/har/body_ring.ts";
import { BodyThread, type SharedSearch } from "../../../src/traffic/har/body_thread.ts";
import { readHar } from "../../../src/traffic/har/read_har.ts";
import type { Recording } from "../../../src/traffic/har/recording.ts";

/** Returns 16 digits and letters that look like a generated id. */
function id(i: number): string {
  return (BigInt(i + 1) * 0x9e3779b97f4a7c15n & 0xffffffffffffffffn).toString(16).padStart(16, "k");
}

const PADDING = "Émile’s coffee ".repeat(60);

/**
 * Functions that create response bodies of several kinds. Call `i + 10` sends the id in body `i`.
 */
const BODIES: readonly ((i: number) => [type: string, text: string])[] = [
  (i) => ["application/json", JSON.stringify({ items: [{ id: id(i), title: PADDING }] })],
  (i) => ["application/json", `\ufeff${JSON.stringify({ next: [id(i)], title: PADDING })}`],
  (i) => ["application/json", `{"a": 1, "a": "${id(i)}", "title": "${PADDING}"}`],
  (i) => ["application/json", `not JSON ${id(i)} ${PADDING}`],
  (i) => ["text/html", `<p>${PADDING}</p><input name="item_id" value="${id(i)}">`],
  (i) => ["text/plain", JSON.stringify([PADDING, { link: `https://shop.example/api/${id(i)}/` }])],
  (i) => ["text/plain", `${PADDING} token=${id(i)};`],
  (i) => ["application/json", `{"html": "<a href=\\"\\/api\\/${id(i)}\\">", "t": "${PADDING}"}`],
  () => ["application/json", JSON.stringify({ short: true })],
];

function har(calls: number): string {
  const entries = Array.from({ length: calls }, (_, i) => {
    const [mimeType, text] = BODIES[i % BODIES.length](i);
    return {
      startedDateTime: new Date(1_700_000_000_000 + 40 * i).toISOString(),
      time: 30,
      request: {
        method: "GET",
        url: `https://shop.example/api/${id(i - 10)}?page=${i % 7}`,
        headers: [{ name: "x-token", value: id(i - 11) }],
      },
      response: { status: 200, headers: [], content: { mimeType, text } },
    };
  });
  return JSON.stringify({ log: { version: "1.2", entries } });
}

/** A recording whose bodies are read from an open file. */
interface Opened extends Disposable {
  readonly recording: Recording;
}

async function open(path: string, thread?: BodyThread): Promise<Opened> {
  const file = new FileRanges(path);
  const bytes = [Deno.readFileSync(path)];
  const recording = await readHar(bytes, "session.har", file, thread);
  return { recording, [Symbol.dispose]: () => file[Symbol.dispose]() };
}

function tempFile(text: string): string {
  const path = Deno.makeTempFileSync({ suffix: ".har" });
  Deno.writeTextFileSync(path, text);
  return path;
}

/**
 * Starts a thread whose `search` method waits until the thread has searched a body or stopped. `used` lists
 * the searches that the method returned.
 */
function startThread(path: string, identity = fileIdentity(Deno.statSync(path))) {
  const thread = BodyThread.start(path, identity, Infinity)!;
  const used: SharedSearch[] = [];
  const search = thread.search.bind(thread);
  thread.search = (task) => {
    const { control } = sentRing(() => used.push(search(task)!));
    const [written, stopped] = [0, 3];
    while (Atomics.load(control, written) === 0 && Atomics.load(control, stopped) === 0) {
      Atomics.wait(control, written, 0, 5);
    }
    return used.at(-1);
  };
  return { thread, used };
}

/** Calls `send`, which sends a message to a worker. Returns the ring buffer in this message. */
function sentRing(send: () => void): SharedRing {
  const original = Worker.prototype.postMessage;
  let sent: SharedRing | undefined;
  Worker.prototype.postMessage = function (message: { ring: SharedRing }) {
    sent = message.ring;
    original.call(this, message);
  };
  try {
    send();
  } finally {
    Worker.prototype.postMessage = original;
  }
  return sent!;
}

function shown({ plan, notes, explanation, openValues }: HarConversion) {
  return { plan, notes, explanation, openValues };
}

Deno.test("convertHar creates the same plan with and without a second thread", async () => {
  const path = tempFile(har(200));
  try {
    const sources = ["html", "header", "cookie", "encoded"] as const;
    const all: HarOptions[] = [{}, { correlate: new Set(sources) }, { explain: true }];
    using alone = await open(path);
    for (const options of all) {
      const { thread, used } = startThread(path);
      using _thread = thread;
      using helped = await open(path, thread);
      const converted = shown(convertHar(helped.recording, options));
      assertEquals(converted, shown(convertHar(alone.recording, options)));
      assert(converted.plan.scenarios.recorded.flow.length === 200);
      // The thread has ended, so the next conversion does not use it.
      thread.search = BodyThread.prototype.search;
      assertEquals(shown(convertHar(helped.recording, options)), converted);
      // All leaves are needed to explain all decisions.
      assertEquals(used.length, options.explain ? 0 : 1);
    }
  } finally {
    Deno.removeSync(path);
  }
});

Deno.test("BodyThread returns correct results for all bodies that it searches", async () => {
  const path = tempFile(har(60));
  try {
    const { thread } = startThread(path);
    using _thread = thread;
    using opened = await open(path, thread);
    const responses = opened.recording.exchanges.map(({ response }) => response)
      .filter(({ range }) => range !== undefined);
    const none = new Uint8Array();
    const search = thread.search({
      ranges: new Float64Array(responses.flatMap(({ range }) => [range!.offset, range!.length])),
      searches: new Uint8Array(responses.length),
      wanted: { values: none, parts: none, count: 0 },
      tokens: id(4),
      scan: () => undefined,
    })!;
    let scanned = 0;
    for (const { text } of responses) {
      const body = search.next();
      if (body === undefined) continue;
      scanned++;
      const decoded = new TextDecoder("utf-8", { ignoreBOM: true }).decode(body.utf8.slice());
      assertEquals(decoded, text);
      assertEquals(body.leaves, undefined);
      assertEquals(body.tokens!.found.length, decoded.includes(id(4)) ? 2 : 0);
    }
    assertEquals(scanned, responses.length);
  } finally {
    Deno.removeSync(path);
  }
});

Deno.test("convertHar reads all bodies itself if the second thread opens a different file", async () => {
  const path = tempFile(har(30));
  try {
    const { thread, used } = startThread(path, "another file");
    using _thread = thread;
    using helped = await open(path, thread);
    using alone = await open(path);
    assertEquals(
      shown(convertHar(helped.recording, {})),
      shown(convertHar(alone.recording, {})),
    );
    assertEquals(used.length, 1);
  } finally {
    Deno.removeSync(path);
  }
});

Deno.test("convertHar reports a file that becomes shorter while a second thread is reading it", async () => {
  const path = tempFile(har(200));
  try {
    const { thread } = startThread(path);
    using _thread = thread;
    using helped = await open(path, thread);
    Deno.truncateSync(path, 1_000);
    assertThrows(
      () => convertHar(helped.recording, {}),
      InputError,
      "it changed while it was being read",
    );
  } finally {
    Deno.removeSync(path);
  }
});

Deno.test("BodyThread.start does not start a thread for a small file", () => {
  assertEquals(BodyThread.start("session.har", "1:1", 2 ** 20), undefined);
});
