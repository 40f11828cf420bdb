import { assertEquals } from "@std/assert";
import type { Clock } from "../../src/engine/clock.ts";
import { clearResponse } from "../../src/engine/http/new_response.ts";
import type {
  ErrorKind,
  HttpResponse,
  HttpSession,
  Outgoing,
  Sender,
} from "../../src/engine/sender.ts";

/** A request as it was sent. */
export interface Sent {
  readonly at: number;
  /** The number of the session, from 0 in the order in which they were opened. */
  readonly session: number;
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly request: Outgoing;
  /** Whether the time was passed on, not asked for anew. */
  readonly timed: boolean;
}

/** What a request gets. */
export interface FakeResponse {
  readonly status?: number;
  readonly body?: string | Uint8Array;
  readonly headers?: readonly (readonly [string, string])[];
  readonly error?: ErrorKind;
  /** How long it takes; 10 ms when absent. */
  readonly ms?: number;
}

/** A sender that sends nothing: it notes the requests and gives the answers that it was told to. */
export class FakeSender implements Sender {
  readonly sent: Sent[] = [];
  readonly #clock: Clock;
  readonly #answer: (sent: Sent, n: number) => FakeResponse;
  #sessions = 0;

  constructor(clock: Clock, answer: (sent: Sent, n: number) => FakeResponse = () => ({})) {
    this.#clock = clock;
    this.#answer = answer;
  }

  open(): HttpSession {
    const session = this.#sessions++;
    let cut = () => {};
    return {
      send: (request, response, now) => {
        const sent = this.#note(session, request, now);
        assertEquals(now ?? sent.at, sent.at, "the time that was passed on is past");
        const answer = this.#answer(sent, this.sent.length - 1);
        clearResponse(response, sent.at);
        return new Promise((resolve) => {
          const cancel = this.#clock.at(sent.at + (answer.ms ?? 10), () => {
            fill(response, answer, request);
            resolve();
          });
          cut = () => {
            cancel();
            response.error = "cancelled";
            resolve();
          };
        });
      },
      branch: () => this.open(),
      close: () => cut(),
    };
  }

  close(): void {}

  #note(session: number, request: Outgoing, now: number | undefined): Sent {
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

/** What the network sender keeps of an answer though nobody wants headers. */
const KEPT = ["set-cookie", "location", "content-encoding", "content-type"];

function fill(response: HttpResponse, answer: FakeResponse, { needs }: Outgoing): void {
  const { status = 200, body = "", headers = [], error, ms = 10 } = answer;
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  response.waitingMs = ms;
  response.error = error;
  response.message = error && `it ended in ${error}`;
  response.bytesSent = 100;
  if (error) return;
  response.status = status;
  response.headers = headers.map(([name, value]): [string, string] => [name.toLowerCase(), value])
    .filter(([name]) => needs.headers || KEPT.includes(name));
  if (needs.body) response.body = bytes;
  response.bodySize = bytes.length;
  response.bytesReceived = 50 + bytes.length;
}
