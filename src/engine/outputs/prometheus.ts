import { OutputError } from "../../base/errors.ts";
import { isLoopbackHost, isTrustedHost } from "../../base/host_header.ts";
import {
  type ExportIdentity,
  type MetricValues,
  type OutputOf,
  type OutputReport,
  parseAddress,
  post,
  Pusher,
  pushIntervalMs,
  type RunOutput,
} from "./outputs.ts";
import { bucketPoints, type HistogramPoint, METRIC_PREFIX, type Point } from "./points.ts";
import { REMOTE_WRITE_HEADERS, remoteWrite, withIdentity } from "./remote_write.ts";

/**
 * Opens an output of type `prometheus`. It serves metrics to scrapers, pushes them by remote write,
 * or does both.
 */
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

/**
 * Returns the labels of pushed metrics. The labels include `instance` if it is known. Scraped
 * metrics do not need this label, because Prometheus adds it to them.
 */
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
  #points: readonly Point[] = [];
  #histograms: readonly HistogramPoint[] = [];
  #scrapes = 0;

  /**
   * Starts listening. `identity` contains labels to add to all points. Throws an Error if the
   * address cannot be used, and NotCapable if the permission to listen on it is missing.
   */
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

  /** Port on which the server listens. */
  get port(): number {
    return this.#server.addr.port;
  }

  points(points: readonly Point[], histograms: readonly HistogramPoint[]): void {
    this.#points = points;
    this.#histograms = histograms;
  }

  async close(): Promise<OutputReport> {
    await this.#server.shutdown();
    return { name: this.#name, written: this.#scrapes, dropped: 0 };
  }

  #respond(path: string): Response {
    if (path !== "/metrics") return new Response("see /metrics\n", { status: 404 });
    this.#scrapes++;
    return new Response(prometheusText(this.#points, this.#histograms, this.#identity), {
      headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
    });
  }
}

/**
 * Formats points and histograms in the Prometheus text format. `identity` contains labels to add to
 * all of them.
 */
export function prometheusText(
  points: readonly Point[],
  histograms: readonly HistogramPoint[] = [],
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
