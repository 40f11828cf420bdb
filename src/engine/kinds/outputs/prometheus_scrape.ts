import { isLoopbackHost, isTrustedHost } from "../../../base/host_header.ts";
import {
  bucketPoints,
  type HistogramPoint,
  METRIC_PREFIX,
  type Point,
} from "../../outputs/points.ts";
import { withIdentity } from "./prometheus_remote_write.ts";
import type { OutputReport, RunOutput } from "../../outputs/open_output.ts";

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
