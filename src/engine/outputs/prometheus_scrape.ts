import type { Point } from "./points.ts";
import { prometheusText } from "./prometheus_text.ts";
import type { OutputReport, RunOutput } from "./run_output.ts";

/** Serves the figures at `/metrics` for as long as the run takes. */
export class PrometheusScrape implements RunOutput {
  readonly #name: string;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  #points: readonly Point[] = [];
  #scrapes = 0;

  /** Throws when the address cannot be listened at. */
  constructor(hostname: string, port: number) {
    this.#server = Deno.serve(
      { hostname, port, onListen: () => {} },
      (request) => this.#answer(new URL(request.url).pathname),
    );
    this.#name = `prometheus ${hostname}:${this.port}`;
  }

  /** The port that it listens at. */
  get port(): number {
    return this.#server.addr.port;
  }

  /** See `RunOutput`. */
  points(points: readonly Point[]): void {
    this.#points = points;
  }

  /** See `RunOutput`. */
  async close(): Promise<OutputReport> {
    await this.#server.shutdown();
    return { name: this.#name, written: this.#scrapes, dropped: 0 };
  }

  #answer(path: string): Response {
    if (path !== "/metrics") return new Response("see /metrics\n", { status: 404 });
    this.#scrapes++;
    return new Response(prometheusText(this.#points), {
      headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
    });
  }
}
