import { setImmediate } from "node:timers";
import { type Cancel, type Clock, TimerHeap } from "../engine/vu/clock.ts";
import { checkSendable } from "../http/encode_request.ts";
import { exchangeFault } from "../http/exchange_error.ts";
import {
  clearResponse,
  type HttpResponse,
  type HttpSession,
  type Outgoing,
  type Sender,
  type Socket,
  type SocketEnd,
  type SocketListener,
  type SocketRequest,
} from "../http/sender.ts";
import { type RecordedCall, sentRequest } from "../traffic/session/recorded_call.ts";
import type { MockResponse } from "./mock_response.ts";
import type { Arrived } from "./mock_server.ts";
import { MARK } from "./plan_requests.ts";

export interface Exchanged {
  readonly response: MockResponse;
  readonly call: RecordedCall | undefined;
}

/** Server to which a mock sender passes requests and messages without using the network. */
export interface MockTarget {
  exchange(arrived: Arrived, user: string): Exchanged;
  /** Returns the recorded messages of the WebSocket that a call opened, in order. */
  messages(call: RecordedCall): readonly RecordedCall[];
  message(call: RecordedCall, user: string): string;
}

/** Delays each response on `clock` by the duration of the recorded call. */
export function mockSender(target: MockTarget, clock: Clock): Sender {
  return {
    open: (user = "") => new MockSession(target, user, clock),
    close() {},
  };
}

class MockSession implements HttpSession {
  readonly #target: MockTarget;
  readonly #user: string;
  readonly #clock: Clock;
  readonly #sockets = new Set<MockSocket>();
  #cut = () => {};
  #lastMark = "";

  constructor(target: MockTarget, user: string, clock: Clock) {
    this.#target = target;
    this.#user = user;
    this.#clock = clock;
  }

  send(request: Outgoing, response: HttpResponse): Promise<void> {
    const startedAt = this.#clock.now();
    clearResponse(response, startedAt);
    if (!maySend(request, response)) return Promise.resolve();
    const mark = request.headers.find(([name]) => name === MARK)?.[1];
    const exchanged = this.#target.exchange(
      { ...arrivedFrom(request), ...readMark(mark, this.#lastMark) },
      this.#user,
    );
    this.#lastMark = mark ?? "";
    const ms = recordedMs(exchanged);
    return new Promise((resolve) => {
      const cancel = this.#clock.at(startedAt + ms, () => {
        fillResponse(response, exchanged.response, ms);
        request.stream?.push(response.body, response);
        resolve();
      });
      this.#cut = () => {
        cancel();
        response.error = "cancelled";
        resolve();
      };
    });
  }

  openSocket(request: SocketRequest, response: HttpResponse): Promise<Socket | undefined> {
    const [target, user, clock] = [this.#target, this.#user, this.#clock];
    clearResponse(response, clock.now());
    if (!maySend(request, response)) return Promise.resolve(undefined);
    const mark = readMark(request.headers.find(([name]) => name === MARK)?.[1], "");
    const arrived = { ...socketArrived(request), ...mark };
    const { call, response: opened } = target.exchange(arrived, user);
    if (call?.exchange.socketPart !== "open") {
      response.error = "upgrade";
      response.message = "the recording does not contain messages from this WebSocket";
      return Promise.resolve(undefined);
    }
    const send = (body: Uint8Array) =>
      void target.exchange({ ...arrived, method: "SEND", headers: [], body }, user);
    const socket = new MockSocket(target, { call, user, send }, clock);
    this.#sockets.add(socket);
    fillResponse(response, { ...opened, status: 101 }, 1);
    return new Promise((resolve) => void clock.at(clock.now() + 1, () => resolve(socket)));
  }

  branch(): HttpSession {
    return new MockSession(this.#target, this.#user, this.#clock);
  }

  close(): void {
    this.#cut();
    for (const socket of this.#sockets) socket.abort();
  }
}

function maySend(request: Outgoing, response: HttpResponse): boolean {
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

function arrivedFrom(outgoing: Outgoing): Arrived {
  const { headers, ...sent } = sentRequest(outgoing);
  return { ...sent, headers: headers.filter(({ name }) => name !== MARK) };
}

function socketArrived(request: SocketRequest): Arrived {
  const arrived = arrivedFrom(request);
  const value = request.subprotocols.join(", ");
  const offered = value === "" ? [] : [{ name: "Sec-WebSocket-Protocol", value }];
  return { ...arrived, method: "WS", headers: [...arrived.headers, ...offered] };
}

function readMark(
  mark: string | undefined,
  lastMark: string,
): Pick<Arrived, "request" | "iteration" | "isRedirect"> {
  if (mark === undefined) return {};
  const [request, iteration] = mark.split(" ").map(Number);
  return { request, iteration, isRedirect: mark === lastMark };
}

/** Duration of the recorded call in milliseconds, at least 1, so that time-based loops end. */
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

interface SocketUse {
  readonly call: RecordedCall;
  readonly user: string;
  readonly send: (body: Uint8Array) => void;
}

/** Sends recorded messages up to each one of the client. Omits those without text. */
class MockSocket implements Socket {
  bytesSent = 0;
  bytesReceived = 0;
  readonly #target: MockTarget;
  readonly #use: SocketUse;
  readonly #clock: Clock;
  readonly #messages: readonly RecordedCall[];
  #next = 0;
  #listener: SocketListener | undefined;
  #ended = false;

  constructor(target: MockTarget, use: SocketUse, clock: Clock) {
    this.#target = target;
    this.#use = use;
    this.#clock = clock;
    this.#messages = target.messages(use.call);
  }

  listen(listener: SocketListener): void {
    this.#listener = listener;
    this.#reply();
  }

  send(content: Uint8Array): Promise<void> {
    this.bytesSent += content.length;
    this.#use.send(content);
    // Skips the recorded message that corresponds to this one.
    if (this.#messages[this.#next]?.exchange.socketPart === "send") this.#next++;
    this.#reply();
    return Promise.resolve();
  }

  close(code: number, reason: string): void {
    this.#end({ code, reason, error: undefined, message: undefined });
  }

  abort(): void {
    this.#end({ code: 1006, reason: "", error: "cancelled", message: "it was canceled" });
  }

  #reply(): void {
    const { user } = this.#use;
    for (; this.#next < this.#messages.length; this.#next++) {
      const call = this.#messages[this.#next];
      if (call.exchange.socketPart === "send") return;
      if (call.exchange.response.text === undefined) continue;
      const text = this.#target.message(call, user);
      const size = text.length;
      this.bytesReceived += size;
      this.#later(() => this.#ended || this.#listener?.onMessage(text, size));
    }
  }

  #end(end: SocketEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#later(() => this.#listener?.onEnd(end));
  }

  #later(act: () => void): void {
    this.#clock.at(this.#clock.now() + 1, act);
  }
}
