import { assertEquals } from "@std/assert";
import type { Clock } from "../../src/engine/vu/clock.ts";
import {
  clearResponse,
  type ErrorKind,
  type HttpResponse,
  type HttpSession,
  MAX_EXCERPT,
  type Outgoing,
  type Sender,
  takeSampleTurn,
} from "../../src/http/sender.ts";
import { FakeSocket, type SocketScript } from "./fake_socket.ts";

/** A request that the fake sender received. */
export interface Sent {
  readonly at: number;
  /** Index of the session, from 0, in the order in which the sessions were opened. */
  readonly session: number;
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly request: Outgoing;
  /** True if the caller passed the current time, so that the sender did not read the clock. */
  readonly timed: boolean;
}

/** A response of the fake sender. */
export interface FakeResponse {
  readonly status?: number;
  readonly body?: string | Uint8Array;
  readonly headers?: readonly (readonly [string, string])[];
  readonly error?: ErrorKind;
  /** Duration in ms (default: 10). */
  readonly ms?: number;
  /** True if the server never ends the body, so that the request times out after its last piece. */
  readonly open?: true;
}

/** A sender without a network, which records requests and returns the given responses. */
export class FakeSender implements Sender {
  readonly sent: Sent[] = [];
  readonly #clock: Clock;
  readonly #respond: (sent: Sent, n: number) => FakeResponse;
  readonly #socket: ((sent: Sent, n: number) => SocketScript) | undefined;
  #sessions = 0;

  constructor(
    clock: Clock,
    respond?: (sent: Sent, n: number) => FakeResponse,
    socket?: (sent: Sent, n: number) => SocketScript,
  ) {
    this.#clock = clock;
    this.#socket = socket;
    this.#respond = respond ?? (() => ({}));
  }

  open(): HttpSession {
    const session = this.#sessions++;
    const sockets = new Set<FakeSocket>();
    let cancelSend = () => {};
    return {
      send: (request, response, now) => {
        const sent = this.#record(session, request, now);
        assertEquals(now ?? sent.at, sent.at, "the time passed on is stale");
        const fake = this.#respond(sent, this.sent.length - 1);
        clearResponse(response, sent.at);
        return new Promise((resolve) => {
          const cancel = this.#clock.at(sent.at + (fake.ms ?? 10), () => {
            fill(response, fake, request);
            const isDone = request.stream?.push(bytesOf(fake.body), response);
            if (!fake.open || isDone) return resolve();
            this.#clock.at(sent.at + request.timeoutMs, () => {
              response.error = "timeout";
              response.message = "no complete response";
              response.waitingMs = request.timeoutMs;
              resolve();
            });
          });
          cancelSend = () => {
            cancel();
            response.error = "cancelled";
            resolve();
          };
        });
      },
      openSocket: (request, response) => {
        const sent = this.#record(session, request, undefined);
        clearResponse(response, sent.at);
        const fake = new FakeSocket(this.#clock, this.#socket?.(sent, this.sent.length - 1) ?? {});
        sockets.add(fake);
        const { status = 101, headers = [], error, ms = 10 } = fake.script;
        return new Promise((resolve) => {
          this.#clock.at(sent.at + ms, () => {
            response.waitingMs = ms;
            response.status = error ? 0 : status;
            response.headers = headers.map(([name, value]) => [name, value]);
            const refused = error ?? (status === 101 ? undefined : "upgrade");
            response.error = refused;
            response.message = refused && `it ended in ${refused}`;
            resolve(refused ? undefined : fake);
          });
        });
      },
      branch: () => this.open(),
      close: () => {
        cancelSend();
        for (const socket of sockets) socket.abort();
      },
    };
  }

  close(): void {}

  #record(session: number, request: Outgoing, now: number | undefined): Sent {
    const sent = {
      at: this.#clock.now(),
      session,
      method: request.method,
      target: request.target,
      headers: Object.fromEntries(
        request.headers.map(([name, value]) => [name.toLowerCase(), value]),
      ),
      body: new TextDecoder().decode(request.body),
      request,
      timed: now !== undefined,
    };
    this.sent.push(sent);
    return sent;
  }
}

/** Names of headers that the network sender keeps even if a request does not need headers. */
const KEPT = ["set-cookie", "location", "content-encoding", "content-type"];

function bytesOf(body: FakeResponse["body"] = ""): Uint8Array {
  return typeof body === "string" ? new TextEncoder().encode(body) : body;
}

function fill(response: HttpResponse, fake: FakeResponse, { needs }: Outgoing): void {
  const { status = 200, body = "", headers = [], error, ms = 10 } = fake;
  const bytes = bytesOf(body);
  response.waitingMs = ms;
  const keepsAll = takeSampleTurn(needs);
  response.error = error;
  response.message = error && `it ended in ${error}`;
  response.bytesSent = 100;
  if (error) return;
  response.status = status;
  const keeps = keepsAll || status >= 400;
  response.headers = headers.map(([name, value]): [string, string] => [name.toLowerCase(), value])
    .filter(([name]) => needs.headers || keeps || KEPT.includes(name));
  if (needs.body) response.body = bytes;
  else if (keeps) response.excerpt = bytes.slice(0, MAX_EXCERPT);
  response.bodySize = bytes.length;
  response.bytesReceived = 50 + bytes.length;
}
