import * as z from "zod";
import { readBody } from "../../base/bytes/byte_source.ts";
import { UsageError } from "../../base/errors.ts";
import { isTrustedHost } from "../../base/host_header.ts";
import type { Progress } from "../../engine/progress.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { endEvent, eventText, stateEvent } from "../../report/html/live_page.ts";
import { addPoint, type SecondPoint } from "../../report/html/series.ts";
import type { ControlAction, RunControl, UiAddress } from "./live_view.ts";

/** Returns the URL of a live view, such as `http://127.0.0.1:6070/`. */
export function uiUrl({ host, port }: UiAddress): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}/`;
}

/** Maximum time, in milliseconds, to wait for browsers to receive the last event. */
const LAST_MS = 1_000;

const SAFE = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "content-security-policy": "frame-ancestors 'none'",
};

/** Maximum size of a request to change the load, in bytes. */
const MAX_ACTION_BYTES = 10_000;

export interface UiServer {
  /** URL of the live view, such as `http://127.0.0.1:6070/`. */
  readonly url: string;
  /** URL of the live view with buttons that change the load. It contains a secret token. */
  readonly controlUrl: string;
  /** Sends new progress to browsers without waiting for them. Call it about once per second. */
  update(progress: Progress): void;
  /** Shows a line of text next to the metrics, starting with the next update. */
  showNote(text: string): void;
  /** Sends the final summary to browsers. */
  end(summary: Summary): void;
  /** Stops the server. Waits at most one second for browsers to receive the last event. */
  close(): Promise<void>;
}

/**
 * Serves `page` and the events that update it. Throws UsageError if the address is in use or
 * invalid, and `Deno.errors.NotCapable` if the permission to listen is missing.
 */
export function uiServer(
  name: string,
  page: string,
  address: UiAddress,
  { control, lastMs = LAST_MS }: { readonly control?: RunControl; readonly lastMs?: number } = {},
): UiServer {
  const token = crypto.randomUUID();
  const viewers = new Viewers();
  const ending = new AbortController();
  let points: readonly SecondPoint[] = [];
  let progress: Progress | undefined;
  let note = "";
  const state = () => eventText(stateEvent({ name, progress: progress!, note }, points));

  function respond(request: Request): Response | Promise<Response> {
    const { pathname } = new URL(request.url);
    if (!isTrustedHost(request.headers.get("host"), address.host)) {
      return textResponse(421, "unknown host name: open the live view at its IP address");
    }
    if (control && pathname === "/control") return respondToControl(request, control, token);
    if (request.method !== "GET") return textResponse(405, "only GET is allowed");
    if (pathname === "/") return typedResponse(page, "text/html; charset=utf-8");
    if (pathname !== "/events") return textResponse(404, "not found: the live view is at /");
    const events = viewers.add(progress && state());
    return events === undefined
      ? textResponse(503, "too many viewers")
      : typedResponse(events, "text/event-stream");
  }

  const server = listen(address, ending.signal, respond);
  const url = uiUrl({ ...address, port: server.addr.port });
  return {
    url,
    controlUrl: `${url}#${token}`,
    update(now) {
      progress = now;
      points = addPoint(points, now.last);
      viewers.send(state);
    },
    showNote(text) {
      note = text;
    },
    end: (summary) => viewers.end(eventText(endEvent(summary))),
    async close() {
      viewers.end();
      const timer = setTimeout(() => ending.abort(), lastMs);
      await server.shutdown();
      clearTimeout(timer);
    },
  };
}

async function respondToControl(
  request: Request,
  control: RunControl,
  token: string,
): Promise<Response> {
  if (request.headers.get("authorization") !== `Bearer ${token}`) {
    return textResponse(401, "the token is missing or wrong: `run --ui` prints it");
  }
  if (request.method === "POST") {
    const body = await readBody(request, MAX_ACTION_BYTES);
    if (body === undefined) return textResponse(413, "the request is too large");
    const action = parseAction(new TextDecoder().decode(body));
    if (typeof action === "string") return textResponse(400, action);
    const reason = control.act(action);
    if (reason !== undefined) return textResponse(409, reason);
  } else if (request.method !== "GET") {
    return textResponse(405, "only GET and POST are allowed");
  }
  const { paused, rate, vus } = control.load;
  return typedResponse(JSON.stringify({ paused, rate, vus }) + "\n", "application/json");
}

/** An action as `POST /control` accepts it, such as `{"action": "rate", "factor": 1.5}`. */
const ACTION = z.discriminatedUnion("action", [
  z.object({ action: z.enum(["pause", "resume", "stop"]) }),
  z.object({ action: z.literal("rate"), factor: z.number() }),
  z.object({ action: z.literal("step"), tenths: z.int() }),
  z.object({ action: z.literal("vus"), scenario: z.string(), vus: z.number() }),
], { error: "expected pause, resume, rate, vus, step or stop" });

/** Parses an action in JSON. Returns an error message if it is invalid. */
function parseAction(text: string): ControlAction | string {
  try {
    const { data, error } = ACTION.safeParse(JSON.parse(text));
    return data ?? z.prettifyError(error!);
  } catch {
    return 'expected a JSON object such as {"action": "pause"}';
  }
}

function listen(
  { host, port }: UiAddress,
  signal: AbortSignal,
  respond: (request: Request) => Response | Promise<Response>,
): Deno.HttpServer<Deno.NetAddr> {
  const options = {
    hostname: host,
    port,
    signal,
    onListen() {},
    onError: () => textResponse(500, ""),
  };
  try {
    return Deno.serve(options, respond);
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable || !(error instanceof Error)) throw error;
    const why = error instanceof Deno.errors.AddrInUse
      ? "the port is in use; `--ui=0` chooses a free port"
      : error.message;
    throw new UsageError(`cannot serve the live view at ${uiUrl({ host, port })}: ${why}`);
  }
}

function textResponse(status: number, text: string): Response {
  return new Response(text + "\n", { status, headers: SAFE });
}

function typedResponse(body: BodyInit, type: string): Response {
  return new Response(body, { headers: { ...SAFE, "content-type": type } });
}

const MAX_VIEWERS = 50;
/** Number of events in the queue of a browser at which it gets no further one. */
const QUEUED = 2;

/**
 * Browsers that show the live view. A slow browser never delays the run: it misses events, each of
 * which contains the whole state.
 */
export class Viewers {
  readonly #viewers = new Set<ReadableStreamDefaultController<Uint8Array>>();
  readonly #encoder = new TextEncoder();

  /**
   * Adds a browser and returns its event stream, which starts with `first`. Returns undefined if 50
   * browsers are already connected.
   */
  add(first: string | undefined): ReadableStream<Uint8Array> | undefined {
    if (this.#viewers.size >= MAX_VIEWERS) return undefined;
    let viewer: ReadableStreamDefaultController<Uint8Array>;
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        viewer = controller;
        this.#viewers.add(viewer);
        // Browsers report the connection as open only after the first bytes.
        viewer.enqueue(this.#encoder.encode(first ?? ": hello\n\n"));
      },
      cancel: () => void this.#viewers.delete(viewer),
    }, { highWaterMark: QUEUED });
  }

  /** Sends an event to the browsers that read. Calls `event` at most once, and only for those. */
  send(event: () => string): void {
    let bytes: Uint8Array | undefined;
    for (const viewer of this.#viewers) {
      if (viewer.desiredSize! > 0) viewer.enqueue(bytes ??= this.#encoder.encode(event()));
    }
  }

  /** Closes all streams, after the event `last` if it is given. */
  end(last?: string): void {
    for (const viewer of this.#viewers) {
      if (last !== undefined) viewer.enqueue(this.#encoder.encode(last));
      viewer.close();
    }
    this.#viewers.clear();
  }
}
