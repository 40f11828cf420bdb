/**
 * Reads a generated HAR and prints a table of speed and peak memory. The file looks like an export
 * from Chrome, with pages, scripts, base64 images and JSON responses. The reader keeps only the
 * JSON responses.
 *
 *     deno run -P=bench scripts/bench/har_reader.ts [MiB] [page|json]
 */
import process from "node:process";
import { readHar } from "../../src/traffic/har/read_har.ts";

const MIB = 2 ** 20;
const KINDS = ["html", "script", "image", "json", "image", "script", "json", "json"] as const;
type Kind = typeof KINDS[number];

if (import.meta.main) {
  const [mebibytes = "100", mix = "page"] = Deno.args;
  const path = Deno.makeTempFileSync({ suffix: ".har" });
  try {
    const size = writeHar(path, Number(mebibytes) * MIB, mix === "json" ? ["json"] : KINDS);
    await report(path, size, mix);
  } finally {
    Deno.removeSync(path);
  }
}

async function report(path: string, size: number, mix: string): Promise<void> {
  const start = performance.now();
  const busy = process.cpuUsage();
  const { exchanges } = await readHar(chunks(path), path);
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(busy);
  const kept = exchanges.reduce((sum, { response }) => sum + (response.text?.length ?? 0), 0);
  console.table({
    [mix]: {
      "file MiB": round(size / MIB),
      entries: exchanges.length,
      "kept MiB": round(kept / MIB),
      seconds: round(seconds),
      "CPU seconds": round((user + system) / 1e6),
      "MB/s": round(size / 1e6 / seconds),
      "peak RSS MiB": round(peakRss() / MIB),
      "peak / file": round(peakRss() / size),
    },
  });
}

function round(value: number): number {
  return Number(value.toPrecision(4));
}

/** Returns the peak resident memory of the process in bytes. */
function peakRss(): number {
  return process.resourceUsage().maxRSS * 1024;
}

function* chunks(path: string): Generator<Uint8Array> {
  using file = Deno.openSync(path);
  const buffer = new Uint8Array(256 * 1024);
  for (let read = file.readSync(buffer); read !== null; read = file.readSync(buffer)) {
    yield buffer.subarray(0, read);
  }
}

/**
 * Writes a HAR of at least `size` bytes and returns its size. The same arguments always produce the
 * same bytes.
 */
function writeHar(path: string, size: number, kinds: readonly Kind[]): number {
  using file = Deno.openSync(path, { write: true, truncate: true });
  const encoder = new TextEncoder();
  let written = 0;
  const write = (text: string) => {
    const bytes = encoder.encode(text);
    for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
    written += bytes.length;
  };
  const creator = { name: "WebInspector", version: "537.36" };
  write(`{\n  "log": {\n    "version": "1.2",\n    "creator": ${JSON.stringify(creator)},\n`);
  write(`    "pages": [],\n    "entries": [\n`);
  for (let i = 0; written < size; i++) {
    write((i === 0 ? "" : ",\n") + JSON.stringify(entry(i, kinds[i % kinds.length]), null, 2));
  }
  write("\n    ]\n  }\n}\n");
  return written;
}

function entry(i: number, kind: Kind) {
  const header = (name: string, value: string) => ({ name, value });
  const [mimeType, content] = buildContent(i, kind);
  return {
    _initiator: { type: "script", stack: { callFrames: [] } },
    _resourceType: kind,
    startedDateTime: new Date(1_700_000_000_000 + 37 * i).toISOString(),
    time: 31.5,
    request: {
      method: "GET",
      url: `https://shop.example/api/v1/items/${i}?page=${i % 7}&sort=name`,
      httpVersion: "h2",
      headers: [
        header("accept", "application/json"),
        header("accept-language", "en-GB,en;q=0.9"),
        header("authorization", `Bearer ${hex(i)}`),
        header("user-agent", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/130.0.0.0"),
      ],
      queryString: [header("page", String(i % 7)), header("sort", "name")],
      cookies: [],
      headersSize: -1,
      bodySize: 0,
    },
    response: {
      status: 200,
      statusText: "OK",
      httpVersion: "h2",
      headers: [header("content-type", mimeType), header("etag", `"${hex(i)}"`)],
      cookies: [],
      content: { mimeType, ...content },
      redirectURL: "",
      headersSize: -1,
      bodySize: -1,
    },
    cache: {},
    timings: { blocked: 1, dns: -1, ssl: -1, connect: -1, send: 0.5, wait: 28, receive: 2 },
  };
}

function buildContent(i: number, kind: Kind): [mimeType: string, content: Record<string, unknown>] {
  switch (kind) {
    case "html":
      return ["text/html", { text: `<li class="item">${hex(i)}</li>\n`.repeat(1_500) }];
    case "script":
      return ["application/javascript", {
        text: `function f(){return "${hex(i)}"}\n`.repeat(2_500),
      }];
    case "image":
      return ["image/png", { text: hex(i).repeat(2_500), encoding: "base64" }];
    case "json": {
      const item = { id: i, sku: hex(i), title: "Émile’s coffee", price: 12.5, tags: ["a", "b"] };
      return ["application/json", { text: JSON.stringify({ items: Array(150).fill(item) }) }];
    }
  }
}

/** Returns sixteen hex digits that look random. The same `i` always gives the same digits. */
function hex(i: number): string {
  return (BigInt(i + 1) * 0x9e3779b97f4a7c15n & 0xffffffffffffffffn).toString(16).padStart(16, "0");
}
