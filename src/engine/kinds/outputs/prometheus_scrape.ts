import { isLoopbackHost, isTrustedHost } from "../../../base/host_header.ts";
import { METRIC_PREFIX, type Point } from "../../outputs/points.ts";
import { labelName } from "./prometheus_remote_write.ts";
import type { OutputReport, RunOutput } from "../../outputs/run_output.ts";

/**
 * Serves the latest metrics over HTTP at `/metrics` during the run, in the Prometheus text format.
 */
export class PrometheusScrape implements RunOutput {
  readonly #name: string;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  #points: readonly Point[] = [];
  #scrapes = 0;

  /**
   * Starts listening. Throws an Error if the address cannot be used, and NotCapable if the
   * permission to listen on it is missing.
   */
  constructor(hostname: string, port: number) {
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

  points(points: readonly Point[]): void {
    this.#points = points;
  }

  async close(): Promise<OutputReport> {
    await this.#server.shutdown();
    return { name: this.#name, written: this.#scrapes, dropped: 0 };
  }

  #respond(path: string): Response {
    if (path !== "/metrics") return new Response("see /metrics\n", { status: 404 });
    this.#scrapes++;
    return new Response(prometheusText(this.#points), {
      headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
    });
  }
}

/** Formats points in the Prometheus text format. */
export function prometheusText(points: readonly Point[]): string {
  const families = Map.groupBy(points, ({ name }) => name);
  return [...families].map(([name, family]) =>
    `# TYPE ${METRIC_PREFIX}${name} ${family[0].kind}\n` +
    family.map(({ labels, value }) => `${METRIC_PREFIX}${name}${labelText(labels)} ${value}\n`)
      .join("")
  ).join("");
}

function labelText(labels: Point["labels"]): string {
  if (labels.length === 0) return "";
  const written = labels.map(([name, value]) =>
    `${labelName(name)}="${
      value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")
    }"`
  );
  return `{${written.join(",")}}`;
}
