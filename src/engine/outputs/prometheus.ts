import { concat } from "../../base/bytes/byte_source.ts";
import { OutputError } from "../../base/errors.ts";
import { pushVarint } from "../../base/histogram.ts";
import { isLoopbackHost, isTrustedHost } from "../../base/host_header.ts";
import {
  bucketPoints,
  type ExportIdentity,
  METRIC_PREFIX,
  type MetricValues,
  type OutputOf,
  type OutputReport,
  type Point,
  post,
  Pusher,
  pushIntervalMs,
  type RunOutput,
} from "./outputs.ts";

/** Opens an output that serves metrics to scrapers, pushes them, or does both. */
export function openPrometheus(
  output: OutputOf<"prometheus">,
  _resolve: unknown,
  identity: ExportIdentity,
): RunOutput[] {
  const { listen, remote_write: url, headers } = output;
  const opened: RunOutput[] = [];
  if (listen !== undefined) opened.push(openScrape(listen, identity));
  if (url !== undefined) {
    opened.push(
      new Pusher({
        name: `prometheus ${url}`,
        intervalMs: pushIntervalMs(output),
        send: (values, time, signal) =>
          post(
            url,
            { ...headers, ...REMOTE_WRITE_HEADERS },
            remoteWrite(withBuckets(values), time, pushedLabels(identity)),
            signal,
          ),
      }),
    );
  }
  return opened;
}

/** Adds `instance`, which Prometheus itself adds to scraped metrics. */
function pushedLabels({ labels, instance }: ExportIdentity): ExportIdentity["labels"] {
  return instance === undefined ? labels : [...labels, ["instance", instance]];
}

function withBuckets({ points, histograms }: MetricValues): Point[] {
  return [...points, ...histograms.flatMap(bucketPoints)];
}

function openScrape(listen: string, { labels }: ExportIdentity): RunOutput {
  const { hostname, port } = parseAddress(listen, "outputs.listen");
  try {
    return new PrometheusScrape(hostname, port, labels);
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    throw new OutputError(`cannot listen on ${listen}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/**
 * Serves the latest metrics over HTTP at `/metrics` during the run, in the Prometheus text format.
 */
export class PrometheusScrape implements RunOutput {
  readonly #name: string;
  readonly #identity: Point["labels"];
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  #values: MetricValues = { points: [], histograms: [] };
  #scrapes = 0;

  constructor(hostname: string, port: number, identity: Point["labels"] = []) {
    this.#identity = identity;
    this.#server = Deno.serve(
      { hostname, port, onListen: () => {} },
      (request) => {
        const host = request.headers.get("host");
        // DNS rebinding lets any web page reach a loopback address through this machine's browser.
        if (isLoopbackHost(hostname) && !isTrustedHost(host, hostname)) {
          return new Response("unknown host\n", { status: 421 });
        }
        return this.#respond(new URL(request.url).pathname);
      },
    );
    this.#name = `prometheus ${hostname}:${this.port}`;
  }

  get port(): number {
    return this.#server.addr.port;
  }

  receive(values: MetricValues): void {
    this.#values = values;
  }

  async close(): Promise<OutputReport> {
    await this.#server.shutdown();
    return { name: this.#name, written: this.#scrapes, dropped: 0 };
  }

  #respond(path: string): Response {
    if (path !== "/metrics") return new Response("see /metrics\n", { status: 404 });
    this.#scrapes++;
    return new Response(prometheusText(this.#values, this.#identity), {
      headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
    });
  }
}

/**
 * Formats values in the Prometheus text format. `identity` contains labels to add to all of them.
 */
export function prometheusText(
  { points, histograms }: MetricValues,
  identity: Point["labels"] = [],
): string {
  const line = ({ name, labels, value }: Point) =>
    `${METRIC_PREFIX}${name}${labelText(withIdentity(labels, identity))} ${value}\n`;
  const family = (name: string, type: string, lines: readonly Point[]) =>
    `# TYPE ${METRIC_PREFIX}${name} ${type}\n${lines.map(line).join("")}`;
  return [
    ...[...Map.groupBy(points, ({ name }) => name)].map(([name, same]) =>
      family(name, same[0].kind, same)
    ),
    ...[...Map.groupBy(histograms, ({ name }) => name)].map(([name, same]) =>
      family(name, "histogram", same.flatMap(bucketPoints))
    ),
  ].join("");
}

function labelText(labels: Point["labels"]): string {
  if (labels.length === 0) return "";
  const written = labels.map(([name, value]) =>
    `${name}="${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`
  );
  return `{${written.join(",")}}`;
}

/** Adds labels of `identity` that a point does not have, and makes all names valid. */
function withIdentity(
  labels: Point["labels"],
  identity: Point["labels"],
): Point["labels"] {
  const all = new Map(identity.map(([name, value]) => [labelName(name), value]));
  for (const [name, value] of labels) all.set(labelName(name), value);
  return [...all];
}

function labelName(tag: string): string {
  return tag.replace(/[^a-zA-Z0-9_]/g, "_").replace(/^(?=\d)/, "_");
}

const REMOTE_WRITE_HEADERS: Readonly<Record<string, string>> = {
  "content-encoding": "snappy",
  "content-type": "application/x-protobuf",
  "x-prometheus-remote-write-version": "0.1.0",
};

/**
 * Encodes points as the body of a Prometheus remote write request: a WriteRequest in Protocol
 * Buffers, in a snappy block. `time` is in Unix milliseconds, and `identity` contains labels to add
 * to all points.
 */
export function remoteWrite(
  points: readonly Point[],
  time: number,
  identity: Point["labels"] = [],
): Uint8Array<ArrayBuffer> {
  const text = (number: number, value: string) => field(number, new TextEncoder().encode(value));
  const series = points.map(({ name, labels, value }) => {
    const all = [["__name__", METRIC_PREFIX + name], ...withIdentity(labels, identity)]
      .sort(([a], [b]) => a < b ? -1 : 1)
      .map(([key, value]) => field(1, concat([text(1, key), text(2, value)])));
    return field(1, concat([...all, field(2, sample(value, time))]));
  });
  return snappyBlock(concat(series));
}

/** Encodes a field of a message whose value is a text or another message. */
function field(number: number, value: Uint8Array): Uint8Array {
  const head = [number << 3 | 2];
  pushVarint(head, value.length);
  return concat([Uint8Array.from(head), value]);
}

/** Encodes a sample: the value as field 1 (a double), and the time as field 2 (a varint). */
function sample(value: number, time: number): Uint8Array {
  const double = new DataView(new ArrayBuffer(9));
  double.setUint8(0, 1 << 3 | 1);
  double.setFloat64(1, value, true);
  const bytes = [...new Uint8Array(double.buffer), 2 << 3];
  pushVarint(bytes, time);
  return Uint8Array.from(bytes);
}

/** Encodes bytes as a snappy block of literals, which is valid but not compressed. */
export function snappyBlock(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const head: number[] = [];
  pushVarint(head, bytes.length);
  const parts = [Uint8Array.from(head)];
  for (let from = 0; from < bytes.length; from += 65_536) {
    const chunk = bytes.slice(from, from + 65_536);
    const last = chunk.length - 1;
    parts.push(Uint8Array.of(61 << 2, last & 255, last >>> 8), chunk);
  }
  return concat(parts);
}

/** Parses `host:port`. The host is 127.0.0.1 by default. The error names the plan key `key`. */
function parseAddress(text: string, key: string): { hostname: string; port: number } {
  const [, bracketed, host, port] = /^(?:\[(.+)\]|([^:]*)):(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined || Number(port) > 65_535) {
    throw new OutputError(
      `invalid \`${key}\`: expected host:port, such as 127.0.0.1:9464, found ${text}`,
    );
  }
  return { hostname: bracketed ?? (host || "127.0.0.1"), port: Number(port) };
}
