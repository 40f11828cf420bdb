import { setTimeout } from "node:timers/promises";
import { DemoCall, escapeHtml, findRoute, htmlResponse, type Match } from "./routes.ts";
import { Refusal, Shop } from "./shop.ts";

/** Longest delay of a response in milliseconds. */
const MAX_MS = 60_000;

export interface DemoOptions {
  /** Port on 127.0.0.1. 0 picks a free port (default: 0). */
  readonly port?: number;
  /** Delay of every response in milliseconds (default: 0). */
  readonly slowMs?: number;
  /** Percentage of requests that fail with status 500, from 0 to 100 (default: 0). */
  readonly failPercent?: number;
  /** True to respond with 200 to unknown paths, so that the plan of any access log can run. */
  readonly catchAll?: boolean;
}

export interface DemoServer {
  /** Origin of the server, such as `http://127.0.0.1:8000`. */
  readonly origin: string;
  /** Counts of the requests so far, which `/_stats` serves as JSON. Omits those to `/_stats`. */
  stats(): DemoStats;
  /** Stops immediately and aborts running requests. */
  stop(): Promise<void>;
}

/**
 * Starts the demo shop. It rejects stale tokens and ids, and has new ids after each start. Throws
 * `Deno.errors.AddrInUse`.
 */
export function startDemo(options: DemoOptions = {}): DemoServer {
  const { port = 0 } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const { slowMs = 0, failPercent = 0, catchAll = false } = options;
  const shop = new Shop();
  const stats = new Stats();

  async function handle(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const { pathname, searchParams } = url;
    if (pathname === "/_stats") return Response.json(stats.read());
    const ms = pathname === "/slow" ? Number(searchParams.get("ms") ?? 200) : slowMs;
    const percent = pathname === "/flaky" ? Number(searchParams.get("percent") ?? 50) : failPercent;
    if (ms > 0) await setTimeout(Math.min(ms, MAX_MS), undefined, { signal }).catch(() => {});
    const match = findRoute(request.method, pathname);
    const response = Math.random() < percent / 100
      ? errorResponse(new Refusal(500, "failed on request"), url)
      : await respond(match, request, url);
    stats.count(request.method, match?.path ?? pathname, response.status);
    return response;
  }

  function respond(match: Match | undefined, request: Request, url: URL) {
    if (match) return runHandler(match, new DemoCall(request, url, match.params, shop));
    if (catchAll) return new Response("ok\n");
    return errorResponse(new Refusal(404, "no such page"), url);
  }

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
  if (url.pathname.startsWith("/api/")) return Response.json({ error: message }, { status });
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

class Stats {
  readonly #counts = new Map<string, Served>();
  #requests = 0;

  count(method: string, path: string, status: number): void {
    this.#requests++;
    const key = `${method} ${path} ${status}`;
    const { count = 0 } = this.#counts.get(key) ?? {};
    this.#counts.set(key, { method, path, status, count: count + 1 });
  }

  read(): DemoStats {
    return { requests: this.#requests, served: [...this.#counts.values()] };
  }
}
