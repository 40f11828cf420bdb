import { createRouter, DemoCall, type Match, type Route } from "./call.ts";
import { escapeHtml, htmlResponse, jsonResponse } from "./responses.ts";
import { API, ASSETS, createChance, createPause, faultRoutes, OAUTH, SITE } from "./routes.ts";
import { Refusal, Shop } from "./shop.ts";

/** Options for the demo server. */
export interface DemoOptions {
  /** Port on 127.0.0.1. 0 picks a free port (default: 0). */
  readonly port?: number;
  /** Delay of every response in milliseconds (default: 0). */
  readonly slowMs?: number;
  /** Percentage of requests that fail with status 500, from 0 to 100 (default: 0). */
  readonly failPercent?: number;
  /**
   * True to respond with 200 to unknown paths, so that a plan from any access log can run (default:
   * false).
   */
  readonly catchAll?: boolean;
  /** Seed for choosing the requests that fail (default: 1). */
  readonly seed?: number;
}

/** A running demo server. */
export interface DemoServer {
  /** Origin of the server, such as `http://127.0.0.1:8000`. */
  readonly origin: string;
  /**
   * Returns how many requests the server has received since it started, by method, route and
   * status. `/_stats` serves the same counts as JSON. Requests to `/_stats` are not counted.
   */
  stats(): DemoStats;
  /** Stops immediately and aborts running requests. */
  stop(): Promise<void>;
}

/**
 * Starts the demo shop, which has HTML pages, a JSON API, a sign-in, rotating tokens, and new ids
 * after each start. It rejects stale tokens and ids with status 400, 401, 403 or 404. Throws
 * `Deno.errors.AddrInUse` if the port is in use.
 */
export function startDemo(options: DemoOptions = {}): DemoServer {
  const { port = 0 } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const { handle, stats } = createDemo(options, signal);
  const server = Deno.serve({ hostname: "127.0.0.1", port, signal, onListen: () => {} }, handle);
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    stats: () => stats.read(),
    stop: () => {
      stopping.abort();
      return server.finished;
    },
  };
}

/** The demo shop as a function that responds to requests, without a server. */
export interface Demo {
  /** Returns the response to a request. */
  handle(request: Request): Promise<Response>;
  readonly stats: Stats;
}

/**
 * Creates the demo shop without a server. When `signal` is aborted, the pauses of delayed responses
 * end.
 */
export function createDemo(options: DemoOptions, signal: AbortSignal): Demo {
  const { slowMs = 0, failPercent = 0, catchAll = false, seed = 1 } = options;
  const shop = new Shop();
  const stats = new Stats();
  const pause = createPause(signal);
  const fails = createChance(seed);
  const routes: Route[] = [
    ...SITE,
    ...API,
    ...OAUTH,
    ...ASSETS,
    ...faultRoutes(createChance(seed), pause),
  ];
  const find = createRouter(routes);

  async function handle(request: Request): Promise<Response> {
    const url = new URL(request.url);
    if (url.pathname === "/_stats") return jsonResponse(stats.read());
    if (slowMs > 0) await pause(slowMs);
    const match = find(request.method, url.pathname);
    const response = fails(failPercent)
      ? errorResponse(new Refusal(500, "failed on request"), url)
      : await respond(match, request, url);
    stats.count(request.method, match?.path ?? url.pathname, response.status);
    return response;
  }

  function respond(match: Match | undefined, request: Request, url: URL) {
    if (match) return runHandler(match, new DemoCall(request, url, match.params, shop));
    if (catchAll) return new Response("ok\n");
    return errorResponse(new Refusal(404, "no such page"), url);
  }

  return { handle, stats };
}

async function runHandler(match: Match, call: DemoCall): Promise<Response> {
  let response;
  try {
    response = await match.handler(call);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    response = errorResponse(error, call.url);
  }
  if (call.setCookie !== undefined) response.headers.append("set-cookie", call.setCookie);
  return response;
}

function errorResponse({ status, message }: Refusal, url: URL): Response {
  if (url.pathname.startsWith("/api/")) return jsonResponse({ error: message }, status);
  return htmlResponse(
    `<!doctype html>\n<title>${status}</title>\n<p>${escapeHtml(message)}</p>\n`,
    status,
  );
}

/** Number of responses with the same method, path and status. */
export interface Served {
  readonly method: string;
  /** Route, such as `/products/:id`, or the path if no route matches. */
  readonly path: string;
  readonly status: number;
  readonly count: number;
}

/** Counts of the requests that the demo server has received since it started. */
export interface DemoStats {
  readonly requests: number;
  readonly served: readonly Served[];
}

/**
 * Maximum number of combinations of method, path and status that are counted separately. All others
 * are counted together.
 */
const MAX_PATHS = 10_000;

/** Counts requests by method, route and response status. */
export class Stats {
  readonly #counts = new Map<string, { -readonly [K in keyof Served]: Served[K] }>();
  #requests = 0;

  count(method: string, path: string, status: number): void {
    this.#requests++;
    const key = `${method} ${path} ${status}`;
    const known = this.#counts.get(key);
    if (known) known.count++;
    else if (this.#counts.size < MAX_PATHS) {
      this.#counts.set(key, { method, path, status, count: 1 });
    } else this.#counts.set("rest", this.#rest());
  }

  read(): DemoStats {
    return { requests: this.#requests, served: [...this.#counts.values()].map((s) => ({ ...s })) };
  }

  #rest() {
    const known = this.#counts.get("rest") ?? { method: "*", path: "*", status: 0, count: 0 };
    known.count++;
    return known;
  }
}
