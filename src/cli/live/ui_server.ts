import { isTrustedHost } from "../../base/host_header.ts";
import { UsageError } from "../../base/errors.ts";
import type { Progress, Summary } from "../../engine/summary.ts";
import { endEvent, eventText, stateEvent, tickEvent } from "../../report/html/live/live_events.ts";
import { LiveHistory } from "../../report/html/live/live_history.ts";
import { type UiAddress, uiUrl } from "./ui_address.ts";
import { Viewers } from "./viewers.ts";

/** How long the end waits for browsers that take what was sent to them. */
const LAST_MS = 1_000;

const SAFE = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "content-security-policy": "frame-ancestors 'none'",
};

/** A run as a page for browsers, while it goes on. */
export interface UiServer {
  /** Such as `http://127.0.0.1:6070/`. */
  readonly url: string;
  /** To be called about once a second; never waits for a browser. */
  update(progress: Progress): void;
  /** Shows one line beside the figures from the next second on. */
  say(text: string): void;
  /** Shows the verdict; waits a second at most until browsers have it. */
  end(summary: Summary): Promise<void>;
  /** Ends at once, whoever is still connected. */
  close(): Promise<void>;
}

/**
 * Serves `page` and the events that keep it up to date. Throws UsageError when it cannot listen
 * there, and `Deno.errors.NotCapable` when it may not.
 */
export function uiServer(
  name: string,
  page: string,
  address: UiAddress,
  lastMs: number = LAST_MS,
): UiServer {
  const viewers = new Viewers();
  const history = new LiveHistory();
  const ending = new AbortController();
  /** Answers that browsers are still being sent. */
  const sending = new Set<Promise<void>>();
  let latest: Progress | undefined;
  let note = "";
  const now = () => ({ name, progress: latest!, note });
  const state = () => eventText(stateEvent(now(), history.points));

  function answer(request: Request, { completed }: Deno.ServeHandlerInfo): Response {
    const { pathname } = new URL(request.url);
    if (!isTrustedHost(request.headers.get("host"), address.host)) {
      return said(421, "this name is not one of the live view: use its address");
    }
    if (request.method !== "GET") return said(405, "this can only be looked at");
    if (pathname === "/") return typed(page, "text/html; charset=utf-8");
    if (pathname !== "/events") return said(404, "there is nothing here but /");
    const events = viewers.add(latest && state());
    if (events === undefined) return said(503, "too many look on already");
    const sent = completed.catch(() => {}).finally(() => sending.delete(sent));
    sending.add(sent);
    return typed(events, "text/event-stream");
  }

  const server = listening(address, ending.signal, answer);
  return {
    url: uiUrl({ ...address, port: server.addr.port }),
    update(progress) {
      latest = progress;
      const isShorter = history.add(progress.last);
      viewers.send(isShorter ? state : () => eventText(tickEvent(now())), state);
    },
    say(text) {
      note = text;
    },
    async end(summary) {
      viewers.end(() => eventText(endEvent(summary)));
      await withinMs(lastMs, Promise.all(sending));
    },
    async close() {
      ending.abort();
      await withinMs(lastMs, server.finished);
    },
  };
}

function listening(
  { host, port }: UiAddress,
  signal: AbortSignal,
  answer: (request: Request, info: Deno.ServeHandlerInfo) => Response,
): Deno.HttpServer<Deno.NetAddr> {
  const options = { hostname: host, port, signal, onListen() {}, onError: () => said(500, "") };
  try {
    return Deno.serve(options, answer);
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable || !(error instanceof Error)) throw error;
    const why = error instanceof Deno.errors.AddrInUse
      ? "it is in use; --ui=0 takes a free port"
      : error.message;
    throw new UsageError(`cannot serve the live view at ${uiUrl({ host, port })}: ${why}`);
  }
}

function said(status: number, text: string): Response {
  return new Response(text + "\n", { status, headers: SAFE });
}

function typed(body: BodyInit, type: string): Response {
  return new Response(body, { headers: { ...SAFE, "content-type": type } });
}

/** Until the work is done, or for so long. */
async function withinMs(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLong = new Promise<void>((resolve) => timer = setTimeout(resolve, ms));
  await Promise.race([work, tooLong]);
  clearTimeout(timer);
}
