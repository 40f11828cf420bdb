import { formatMs } from "../base/format.ts";
import {
  clearResponse,
  HttpResponse,
  type HttpSession,
  type Origin,
  type Outgoing,
  type Sender,
  type Socket,
  type SocketListener,
} from "../http/sender.ts";
import { listRequests, listSteps } from "../plan/kinds/list_requests.ts";
import type { Step } from "../plan/kinds/steps.ts";
import type { Plan } from "../plan/schema/plan.ts";
import { isSafeMethod, onlyReads } from "../traffic/session/changes_data.ts";
import {
  type CallOutcome,
  MOST_COMPARED,
  MOST_PASSES,
  MOST_PROVING_ROUNDS,
  PROVING_LOAD,
} from "./attempts.ts";
import { GivenPlan } from "./given_plan.ts";
import { isWriteRequest } from "./literal_edit.ts";
import { MOST_TRIALS } from "./trial.ts";

/** What a calibration needs besides the plan and its recording. */
export interface CalibrationOptions {
  readonly sender: Sender;
  readonly isAllowed: (origin: Origin) => boolean;
  /**
   * When aborted, the calibration ends early. `calibratePlan` still resolves, but the plan is not
   * proven.
   */
  readonly interrupt?: AbortSignal;
  readonly sleep: (ms: number) => Promise<void>;
  /** Maximum total waiting time of the calibration, in milliseconds (default: one minute). */
  readonly patience?: number;
  /** Called with a line of text before each round and before each wait during a round. */
  readonly onRound?: (name: string) => void;
  /** Called with the one-based number of each call before it is sent, and the number of calls. */
  readonly onCall?: (call: number, calls: number) => void;
  readonly readFile: (path: string) => Uint8Array;
  readonly readEnv: (name: string) => string | undefined;
  readonly keepConstants?: boolean;
  readonly now: () => number;
  /** Hides the secrets of the plan in recorded and live text before the text is truncated. */
  readonly redact?: (text: string) => string;
}

/** The application to which a plan is sent: what may be sent to it, and how long to wait for it. */
export class LiveTarget {
  readonly budget: WriteBudget;
  readonly waits: Waits;
  readonly sender: GuardedSender;
  /** Number of writes in one run of the plan by one user. */
  readonly writes: number;

  constructor(
    plan: Plan,
    readonly origin: string,
    readonly options: CalibrationOptions,
  ) {
    const { writes, mostWrites } = plannedCalls(plan);
    this.writes = writes;
    this.budget = new WriteBudget(mostWrites);
    this.waits = new Waits(options);
    this.sender = new GuardedSender(options, this.budget);
  }

  get isInterrupted(): boolean {
    return this.options.interrupt?.aborted ?? false;
  }

  /** True if the user interrupted the calibration, or the target is overloaded. */
  get isOver(): boolean {
    return this.isInterrupted || this.waits.overload !== undefined;
  }

  /** Reports whether the limit of writes allows a number of runs of the plan. */
  mayRun(times: number): boolean {
    return this.budget.left >= this.writes * times;
  }
}

/**
 * Counts the requests and writes in the scenarios of a plan that replay a recording, and returns
 * the maximum number of writes that a calibration sends. Opening a WebSocket counts as both.
 */
export function plannedCalls(plan: Plan): Record<"requests" | "writes" | "mostWrites", number> {
  const given = new GivenPlan(plan);
  const replayed = given.replayed();
  const indexes = [...replayed.values()].flat();
  const flows = [...replayed.keys()].map((name) => plan.scenarios[name].flow);
  // The messages of a WebSocket may write, so opening it counts as a write.
  const sockets = countSockets(flows.flat());
  const writes = indexes.filter((index) => isWriteRequest(given.at(index))).length + sockets;
  // One more with staggered users, and those that compare plans.
  const provingRounds = MOST_PROVING_ROUNDS + 1 + MOST_COMPARED;
  const iterations = MOST_PASSES +
    provingRounds * PROVING_LOAD.users * PROVING_LOAD.iterations;
  const around = [...plan.setup ?? [], ...plan.teardown ?? []];
  const writesAround = [...listRequests(around)].filter(isWriteRequest).length +
    countSockets(around);
  const rounds = (MOST_PASSES + provingRounds) * replayed.size;
  return {
    requests: indexes.length + sockets,
    writes,
    // Before each trial, the write is sent again unchanged.
    mostWrites: (writes === 0 ? 0 : writes * iterations + 2 * MOST_TRIALS) + writesAround * rounds,
  };
}

function countSockets(flow: readonly Step[]): number {
  return [...listSteps(flow)].filter(({ websocket }) => websocket !== undefined).length;
}

export class WriteBudget {
  readonly limit: number;
  sent = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  get left(): number {
    return this.limit - this.sent;
  }

  /** Counts a request. Returns false if it must not be sent, because it would exceed the limit. */
  allows({ method, body }: Pick<Outgoing, "method" | "body">): boolean {
    if (isSafeMethod(method)) return true;
    if (body !== undefined && onlyReads(new TextDecoder().decode(body))) return true;
    if (this.sent >= this.limit) return false;
    this.sent++;
    return true;
  }
}

export interface SentExchange {
  readonly request: Outgoing;
  readonly response: HttpResponse;
}

/**
 * Sends requests only to allowed origins and within a write budget, and keeps the exchanges. Other
 * requests fail with an error.
 */
export class GuardedSender implements Sender {
  readonly #sender: Sender;
  readonly #isAllowed: (origin: Origin) => boolean;
  readonly #budget: WriteBudget;
  readonly #exchanges = new WeakMap<HttpSession, SentExchange[]>();
  readonly #messages: LiveMessages[] = [];

  constructor({ sender, isAllowed }: CalibrationOptions, budget: WriteBudget) {
    this.#sender = sender;
    this.#isAllowed = isAllowed;
    this.#budget = budget;
  }

  open(user: string): HttpSession {
    const own: SentExchange[] = [];
    const session = this.#guard(this.#sender.open(user), own);
    this.#exchanges.set(session, own);
    return session;
  }

  close(): void {
    this.#sender.close();
  }

  takeExchanges(session: HttpSession): SentExchange[] {
    return this.#exchanges.get(session)?.splice(0) ?? [];
  }

  /** Returns the messages of all WebSockets since the last call of `takeMessages`. */
  takeMessages(): LiveMessages[] {
    return this.#messages.splice(0);
  }

  #guard(session: HttpSession, own: SentExchange[]): HttpSession {
    return {
      send: async (request, response, now) => {
        const refusal = this.#refusalOf(request);
        if (refusal === undefined) await session.send(request, response, now);
        else refuse(response, refusal, now);
        own.push({ request, response: Object.assign(new HttpResponse(), response) });
      },
      openSocket: async (request, response) => {
        // The messages of a WebSocket may write, so opening it counts as a write.
        const refusal = this.#refusalOf({ ...request, method: "POST" });
        if (refusal !== undefined) {
          refuse(response, refusal);
          return undefined;
        }
        const socket = await session.openSocket(request, response);
        if (socket === undefined || request.recorded === undefined) return socket;
        const kept: LiveMessages = { entry: request.recorded, texts: [], skipped: 0 };
        this.#messages.push(kept);
        return keepMessages(socket, kept);
      },
      branch: () => this.#guard(session.branch(), own),
      close: () => session.close(),
    };
  }

  #refusalOf(request: Outgoing): string | undefined {
    const { origin } = request;
    if (!this.#isAllowed(origin)) {
      return `not sent: the plan does not use the origin ${origin.authority}`;
    }
    return this.#budget.allows(request)
      ? undefined
      : `not sent: the limit of ${this.#budget.limit} writes has been reached`;
  }
}

function refuse(response: HttpResponse, why: string, now = performance.now()): void {
  clearResponse(response, now);
  response.error = "cancelled";
  response.message = why;
}

export interface LiveMessages {
  /** One-based index of the HAR entry that opened the WebSocket in the recording. */
  readonly entry: number;
  readonly texts: string[];
  /**
   * Number of messages that were not kept: binary ones, and those after the first 1,000 messages or
   * 4,000,000 UTF-16 code units.
   */
  skipped: number;
}

const MOST_KEPT = 1_000;
/** Maximum total length of the messages of one WebSocket that are kept, in UTF-16 code units. */
const MOST_TEXT = 4_000_000;

function keepMessages(socket: Socket, to: LiveMessages): Socket {
  let length = 0;
  return {
    listen(listener: SocketListener): void {
      socket.listen({
        onMessage(message, size): void {
          const isKept = typeof message === "string" && to.texts.length < MOST_KEPT &&
            length + message.length <= MOST_TEXT;
          if (isKept) {
            length += message.length;
            to.texts.push(message);
          } else to.skipped++;
          listener.onMessage(message, size);
        },
        onEnd: (end) => listener.onEnd(end),
      });
    },
    get bytesSent() {
      return socket.bytesSent;
    },
    get bytesReceived() {
      return socket.bytesReceived;
    },
    send: (content, isText) => socket.send(content, isText),
    close: (code, reason) => socket.close(code, reason),
    abort: () => socket.abort(),
  };
}

/** Responses in which a target enforced a rate limit, and the waits because of them. */
export interface RateLimitReport {
  readonly responses: number;
  readonly statuses: readonly number[];
  /** Zero-based indexes of the calls that got these responses, in ascending order. */
  readonly calls: readonly number[];
  readonly waitedMs: number;
  readonly longestMs: number;
}

/** A target that still enforces a rate limit, or is still overloaded, after waiting. */
export interface Overload {
  readonly status: number;
  /** Time, in whole seconds, that the calibration waited before this response. */
  readonly seconds: number;
}

const MOST_WAITS = 2;
/**
 * Total waiting time, in milliseconds, during which every response has status 429 or 503. If the
 * next response has this status too, the calibration ends.
 */
const LONGEST_MS = 60_000;

/**
 * Waits, and limits the total time of all waits. Because of a rate limit or an overload (status 429
 * or 503), one request waits at most twice. If no other response arrives during a minute of
 * waiting, the calibration ends.
 */
export class Waits {
  readonly limitMs: number;
  /** True after a wait was refused. */
  isExhausted = false;
  /** The reason why the calibration must end. */
  overload: Overload | undefined;
  readonly #options: CalibrationOptions;
  #takenMs = 0;
  /** Waiting time, in milliseconds, since the last response that did not enforce a rate limit. */
  #limitedMs = 0;
  readonly #limited: { readonly status: number; readonly index: number }[] = [];
  readonly #waited: number[] = [];

  constructor(options: CalibrationOptions) {
    this.#options = options;
    this.limitMs = options.patience ?? LONGEST_MS;
  }

  /** Counts a wait. Returns false if it would exceed the limit, so that it must not take place. */
  take(ms: number): boolean {
    if (this.#takenMs + ms > this.limitMs) {
      this.isExhausted = true;
      return false;
    }
    this.#takenMs += ms;
    return true;
  }

  async wait(ms: number, index: number, why: string): Promise<void> {
    this.#options.onRound?.(`  call ${index + 1}: waiting ${formatMs(ms)} (${why})`);
    await this.#options.sleep(ms);
  }

  /**
   * Waits if a response enforced a rate limit, before its request is sent again. `waits` is the
   * number of times that the request has waited; undefined if it must not be sent again. `pause` is
   * the recorded pause before the request, to try first, in milliseconds. Returns the waiting time,
   * or undefined if there was none. If the limit ends while only such responses arrive, the
   * calibration ends.
   */
  async waitForLimit(
    { rateLimit, error, index }: CallOutcome,
    { status, waits, pause }: {
      readonly status: number | undefined;
      readonly waits: number | undefined;
      readonly pause: number | undefined;
    },
  ): Promise<number | undefined> {
    if (error !== undefined) return undefined;
    if (rateLimit === undefined || status === undefined) {
      this.#limitedMs = 0;
      return undefined;
    }
    this.#limited.push({ status, index });
    if (this.#limitedMs >= LONGEST_MS) this.#end();
    if (waits === undefined || waits >= MOST_WAITS || this.overload !== undefined) return undefined;
    const ms = waits === 0 && pause !== undefined ? pause : rateLimit * 1_000;
    if (!this.take(ms)) {
      if (this.#limitedMs > 0) this.#end();
      return undefined;
    }
    this.#limitedMs += ms;
    this.#waited.push(ms);
    await this.wait(ms, index, "the server reported a rate limit or an overload");
    return ms;
  }

  get rateLimit(): RateLimitReport | undefined {
    if (this.#limited.length === 0) return undefined;
    const distinct = (numbers: readonly number[]) => [...new Set(numbers)].sort((a, b) => a - b);
    return {
      responses: this.#limited.length,
      statuses: distinct(this.#limited.map(({ status }) => status)),
      calls: distinct(this.#limited.map(({ index }) => index)),
      waitedMs: this.#waited.reduce((sum, ms) => sum + ms, 0),
      longestMs: Math.max(0, ...this.#waited),
    };
  }

  #end(): void {
    const { status } = this.#limited.at(-1)!;
    this.overload = { status, seconds: Math.round(this.#limitedMs / 1_000) };
  }
}
