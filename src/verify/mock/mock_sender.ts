import { setImmediate } from "node:timers";
import type { Cancel, Clock } from "../../engine/clock/clock.ts";
import { TimerHeap } from "../../engine/clock/timer_heap.ts";
import { checkSendable } from "../../http/encode_request.ts";
import { exchangeFault } from "../../http/exchange_error.ts";
import {
  clearResponse,
  type HttpResponse,
  type HttpSession,
  type Outgoing,
  type Sender,
} from "../../http/sender.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { MARK } from "../plan/plan_requests.ts";
import type { MockResponse } from "./mock_response.ts";
import type { Arrived } from "./mock_server.ts";

/** The response to a request, and the recorded call that it matches. */
export interface Exchanged {
  readonly response: MockResponse;
  /** The recorded call, or undefined if the request matches none. */
  readonly call: RecordedCall | undefined;
}

/** Handles a request of the user with the given name. */
export type Exchange = (arrived: Arrived, user: string) => Exchanged;

/**
 * Creates a sender that passes every request to `exchange` instead of the network. Delays each
 * response, on `clock`, by the duration of the recorded call.
 */
export function mockSender(exchange: Exchange, clock: Clock): Sender {
  return {
    open: (user = "") => open(exchange, user, clock),
    close() {},
  };
}

function open(exchange: Exchange, user: string, clock: Clock): HttpSession {
  let cut = () => {};
  let lastMark = "";
  return {
    send(request, response) {
      const startedAt = clock.now();
      clearResponse(response, startedAt);
      if (!isSendable(request, response)) return Promise.resolve();
      const mark = request.headers.find(([name]) => name === MARK)?.[1];
      const exchanged = exchange({ ...arrivedFrom(request), ...readMark(mark, lastMark) }, user);
      lastMark = mark ?? "";
      const ms = recordedMs(exchanged);
      return new Promise((resolve) => {
        const cancel = clock.at(startedAt + ms, () => {
          fillResponse(response, exchanged.response, ms);
          resolve();
        });
        cut = () => {
          cancel();
          response.error = "cancelled";
          resolve();
        };
      });
    },
    openSocket(_, response) {
      clearResponse(response, clock.now());
      response.error = "upgrade";
      response.message = "the mock server does not serve WebSockets";
      return Promise.resolve(undefined);
    },
    branch: () => open(exchange, user, clock),
    close: () => cut(),
  };
}

/** Reports whether a real client could send the request. If not, sets the error of the response. */
function isSendable(request: Outgoing, response: HttpResponse): boolean {
  try {
    checkSendable(request);
    return true;
  } catch (error) {
    const { kind, message } = exchangeFault(error);
    response.error = kind;
    response.message = message;
    return false;
  }
}

function arrivedFrom({ method, origin, target, headers, body }: Outgoing): Arrived {
  const path = target.startsWith("/") ? target : `/${target}`;
  return {
    method,
    url: `${origin.secure ? "https" : "http"}://${origin.authority}${path}`,
    headers: headers.filter(([name]) => name !== MARK).map(([name, value]) => ({ name, value })),
    body,
  };
}

/** Reads the header with which a marked plan identifies the request. */
function readMark(
  mark: string | undefined,
  lastMark: string,
): Pick<Arrived, "request" | "iteration" | "isRedirect"> {
  if (mark === undefined) return {};
  const [request, iteration] = mark.split(" ").map(Number);
  return { request, iteration, isRedirect: mark === lastMark };
}

/**
 * Returns the duration of the recorded call in milliseconds. It is at least 1, so that time-based loops
 * end.
 */
function recordedMs({ call }: Exchanged): number {
  return call === undefined ? 1 : Math.max(1, call.exchange.endedAt - call.exchange.startedAt);
}

function fillResponse(
  response: HttpResponse,
  { status, headers, body }: MockResponse,
  ms: number,
): void {
  response.status = status;
  response.headers = headers.map(([name, value]) => [name, value]);
  response.body = body;
  response.bodySize = response.bytesReceived = body.length;
  response.waitingMs = ms;
}

/** A simulated clock that jumps to the next timer when the event loop is idle. */
export class JumpClock implements Clock {
  readonly #heap = new TimerHeap();
  #now = 0;
  #jumping = false;

  now(): number {
    return this.#now;
  }

  at(time: number, wake: () => void): Cancel {
    const cancel = this.#heap.add(time, wake);
    this.#jumpOnceIdle();
    return cancel;
  }

  close(): void {
    this.#heap.clear();
  }

  #jumpOnceIdle(): void {
    if (this.#jumping) return;
    this.#jumping = true;
    setImmediate(() => {
      this.#jumping = false;
      const { next } = this.#heap;
      if (next === Infinity) return;
      this.#now = Math.max(this.#now, next);
      for (let wake; (wake = this.#heap.takeDue(this.#now)) !== undefined;) wake();
      this.#jumpOnceIdle();
    });
  }
}
