/**
 * Converts generated HARs and prints tables: the speed, how the time grows with the number of
 * entries and candidate values, and (if their paths are given) the times of other converters for
 * the same file:
 *
 *     deno run -P=bench scripts/bench/har.ts [MiB] [--har-to-k6=PATH] [--har2locust=PATH]
 *
 * `har2locust` needs `ruff` on the PATH.
 */
import { existsSync } from "node:fs";
import { parseArgs } from "@std/cli/parse-args";
import { convertHar } from "../../src/convert/from_har.ts";
import { printPlan } from "../../src/plan/print.ts";
import { readHar } from "../../src/traffic/har/read_har.ts";

const MIB = 2 ** 20;
const ROOT = new URL("../../", import.meta.url).pathname;

/** Content of a generated HAR. */
interface Shape {
  /** Kinds of calls, repeated in this order. */
  readonly kinds: readonly ("page" | "script" | "image" | "api")[];
  /** Number of items in each JSON response, each with one dynamic-looking value. */
  readonly items: number;
  /** Maximum size in bytes. The file ends when it reaches this size, or `entries` entries. */
  readonly bytes: number;
  /** Maximum number of entries. */
  readonly entries: number;
}

const SESSION: Shape["kinds"] = ["page", "script", "image", "api", "image", "script", "api", "api"];

if (import.meta.main) {
  const args = parseArgs(Deno.args, { string: ["har-to-k6", "har2locust"] });
  const bytes = Number(args._[0] ?? 100) * MIB;
  const path = Deno.makeTempFileSync({ suffix: ".har" });
  try {
    console.table({
      "browser session": await measure(path, {
        kinds: SESSION,
        items: 150,
        bytes,
        entries: Infinity,
      }),
      "JSON responses only": await measure(path, {
        kinds: ["api"],
        items: 150,
        bytes,
        entries: Infinity,
      }),
    });
    const growth: Record<string, unknown> = {};
    for (
      const [entries, items] of [[1_000, 5], [3_000, 5], [10_000, 5], [10_000, 20], [10_000, 50], [
        10_000,
        0,
      ]]
    ) {
      const shape = { kinds: ["api"], items, bytes: Infinity, entries } as const;
      growth[`${entries} entries, ${entries * items} candidates`] = await measure(path, shape);
    }
    console.table(growth);
    writeHar(path, {
      kinds: SESSION,
      items: 150,
      bytes: Math.min(bytes, 20 * MIB),
      entries: Infinity,
    });
    comparePeers(path, args);
  } finally {
    for (const file of [path, `${path}.out`]) {
      if (existsSync(file)) Deno.removeSync(file);
    }
  }
}

async function measure(path: string, shape: Shape): Promise<Record<string, number>> {
  const size = writeHar(path, shape);
  const times = [performance.now()];
  const recording = await readHar(chunks(path), path);
  times.push(performance.now());
  const { plan, header, notes } = convertHar(recording, {});
  times.push(performance.now());
  printPlan(plan, header);
  times.push(performance.now());
  const seconds = (times[3] - times[0]) / 1_000;
  const [read, convert, print] = times.slice(1).map((time, i) => Math.round(time - times[i]));
  return {
    "MB": Math.round(size / 1e6),
    "read ms": read,
    "convert ms": convert,
    "print ms": print,
    "MB/s": Math.round(size / 1e6 / seconds),
    "correlated": notes.filter(({ code }) => code === "correlation").length,
  };
}

/** Compares converters on one file. Measures whole processes, including their startup. */
function comparePeers(path: string, peers: { "har-to-k6"?: string; har2locust?: string }): void {
  const size = Deno.statSync(path).size;
  const commands: Record<string, string[] | undefined> = {
    "rehearse convert": [
      "deno",
      "run",
      "--frozen",
      "--allow-read",
      "--allow-write",
      `${ROOT}main.ts`,
      "convert",
      path,
      "-o",
      `${path}.out`,
    ],
    "har-to-k6": peers["har-to-k6"] ? [peers["har-to-k6"], path, "-o", `${path}.out`] : undefined,
    "har2locust": peers.har2locust ? [peers.har2locust, path] : undefined,
  };
  const rows: Record<string, unknown> = {};
  for (const [name, command] of Object.entries(commands)) {
    if (command === undefined) console.log(`skipped ${name}: give its path with --${name}=PATH`);
    else rows[name] = timeProcess(command, size);
  }
  console.table(rows);
}

function timeProcess([program, ...args]: string[], size: number): Record<string, unknown> {
  const start = performance.now();
  const { code } = new Deno.Command(program, { args, stdout: "null", stderr: "null" }).outputSync();
  const seconds = (performance.now() - start) / 1_000;
  return {
    exit: code,
    "MB": Math.round(size / 1e6),
    seconds: Number(seconds.toFixed(2)),
    "MB/s": Number((size / 1e6 / seconds).toFixed(1)),
  };
}

/**
 * Writes a HAR with the given shape and returns its size in bytes. The same shape always produces
 * the same bytes.
 */
function writeHar(path: string, { kinds, items, bytes, entries }: Shape): number {
  using file = Deno.openSync(path, { write: true, truncate: true });
  const encoder = new TextEncoder();
  let written = 0;
  const write = (text: string) => {
    const encoded = encoder.encode(text);
    for (let at = 0; at < encoded.length;) at += file.writeSync(encoded.subarray(at));
    written += encoded.length;
  };
  write(
    '{"log":{"version":"1.2","creator":{"name":"bench","version":"1"},"pages":[],"entries":[\n',
  );
  for (let i = 0; i < entries && written < bytes; i++) {
    write(
      (i === 0 ? "" : ",\n") + JSON.stringify(entry(i, kinds[i % kinds.length], items), null, 1),
    );
  }
  write("\n]}}\n");
  return written;
}

/**
 * Returns a HAR entry. Its request sends two values that the response 8 entries earlier contains if
 * that response is from an API.
 */
function entry(i: number, kind: Shape["kinds"][number], items: number): unknown {
  const field = (name: string, value: string) => ({ name, value });
  const [mimeType, content] = buildContent(i, kind, items);
  return {
    startedDateTime: new Date(1_700_000_000_000 + 40 * i).toISOString(),
    time: 31.5,
    request: {
      method: "GET",
      url: `https://shop.example/api/items/${hex(i - 8, 0)}?page=${i % 7}&sort=name`,
      httpVersion: "h2",
      headers: [
        field("accept", "application/json"),
        field("accept-language", "en-GB,en;q=0.9"),
        field("authorization", `Bearer ${hex(i - 8, 1)}`),
        field("user-agent", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/130.0.0.0"),
      ],
      cookies: [],
    },
    response: {
      status: 200,
      httpVersion: "h2",
      headers: [field("content-type", mimeType)],
      cookies: [],
      content: { mimeType, ...content },
      redirectURL: "",
    },
    timings: { send: 0.5, wait: 28, receive: 3 },
  };
}

function buildContent(
  i: number,
  kind: Shape["kinds"][number],
  items: number,
): [string, Record<string, unknown>] {
  switch (kind) {
    case "page":
      return ["text/html", { text: `<li class="item">${hex(i, 0)}</li>\n`.repeat(1_500) }];
    case "script":
      return ["application/javascript", {
        text: `function f(){return "${hex(i, 0)}"}\n`.repeat(2_500),
      }];
    case "image":
      return ["image/png", { text: hex(i, 0).repeat(2_500), encoding: "base64" }];
    case "api": {
      const list = Array.from({ length: items }, (_, n) => ({
        id: hex(i, n),
        title: "Émile’s coffee",
        price: 12.5,
        tags: ["fresh", "roasted"],
      }));
      return ["application/json", { text: JSON.stringify({ items: list }) }];
    }
  }
}

/** Returns sixteen hex digits that look random. The same arguments always give the same digits. */
function hex(i: number, n: number): string {
  const seed = BigInt(i + 100) * 1_000n + BigInt(n);
  return (seed * 0x9e3779b97f4a7c15n & 0xffffffffffffffffn).toString(16).padStart(16, "0");
}

function* chunks(path: string): Generator<Uint8Array> {
  using file = Deno.openSync(path);
  const buffer = new Uint8Array(256 * 1024);
  for (let read = file.readSync(buffer); read !== null; read = file.readSync(buffer)) {
    yield buffer.subarray(0, read);
  }
}
