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
import { MOST_PASSES, MOST_PROVING_ROUNDS, PROVING_LOAD } from "./attempts.ts";
import { PlanDraft } from "./draft.ts";
import { isWriteRequest } from "./literal_edit.ts";
import { MOST_TRIALS } from "./trial.ts";
import { type WaitOptions, Waits } from "./waits.ts";

/** How a calibration may use its target. */
export interface TargetOptions extends WaitOptions {
  readonly sender: Sender;
  readonly isAllowed: (origin: Origin) => boolean;
  /**
   * When aborted, the calibration ends early. `calibratePlan` still resolves, but the plan is not
   * proven.
   */
  readonly interrupt?: AbortSignal;
}

/** The application to which a plan is sent: what may be sent to it, and how long to wait for it. */
export class LiveTarget {
  readonly budget: WriteBudget;
  readonly waits: Waits;
  readonly sender: GuardedSender;
  /** Number of writes in one run of the plan by one user. */
  readonly writes: number;
  readonly #interrupt: AbortSignal | undefined;

  constructor(
    plan: Plan,
    readonly origin: string,
    options: TargetOptions,
  ) {
    const { writes, mostWrites } = plannedCalls(plan);
    this.writes = writes;
    this.budget = new WriteBudget(mostWrites);
    this.waits = new Waits(options);
    this.sender = guardSender(options.sender, options.isAllowed, this.budget);
    this.#interrupt = options.interrupt;
  }

  get isInterrupted(): boolean {
    return this.#interrupt?.aborted ?? false;
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
 * Numbers of requests and writes in a plan, and the maximum number of writes that a calibration
 * sends. Opening a WebSocket counts as a request and as a write.
 */
export interface PlannedCalls {
  readonly requests: number;
  readonly writes: number;
  readonly mostWrites: number;
}

/** Counts the requests and writes in the scenarios of a plan that replay a recording. */
export function plannedCalls(plan: Plan): PlannedCalls {
  const draft = new PlanDraft(plan);
  const replayed = draft.replayed();
  const indexes = [...replayed.values()].flat();
  const flows = [...replayed.keys()].map((name) => plan.scenarios[name].flow);
  // The messages of a WebSocket may write, so opening it counts as a write.
  const sockets = flows.map(countSockets).reduce((sum, count) => sum + count, 0);
  const writes = indexes.filter((index) => draft.isWrite(index)).length + sockets;
  // One more with staggered users, and one without harmful repairs.
  const provingRounds = MOST_PROVING_ROUNDS + 2;
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

/** Sends requests only to allowed origins and within a write budget, and keeps the exchanges. */
export interface GuardedSender extends Sender {
  takeExchanges(session: HttpSession): SentExchange[];
  /** Returns the messages of all WebSockets since the last call of `takeMessages`. */
  takeMessages(): LiveMessages[];
}

/**
 * Wraps `sender`. A request fails with an error if `isAllowed` refuses its origin, or if it would
 * exceed `budget`.
 */
function guardSender(
  sender: Sender,
  isAllowed: (origin: Origin) => boolean,
  budget: WriteBudget,
): GuardedSender {
  const exchanges = new WeakMap<HttpSession, SentExchange[]>();
  const messages: LiveMessages[] = [];
  const refusalOf = (request: Outgoing): string | undefined => {
    const { origin } = request;
    if (!isAllowed(origin)) return `not sent: the plan does not use the origin ${origin.authority}`;
    return budget.allows(request)
      ? undefined
      : `not sent: the limit of ${budget.limit} writes has been reached`;
  };
  const guarded = (session: HttpSession, own: SentExchange[]): HttpSession => ({
    async send(request, response, now) {
      const refusal = refusalOf(request);
      if (refusal === undefined) await session.send(request, response, now);
      else refuse(response, refusal, now);
      own.push({ request, response: Object.assign(new HttpResponse(), response) });
    },
    async openSocket(request, response) {
      // The messages of a WebSocket may write, so opening it counts as a write.
      const refusal = refusalOf({ ...request, method: "POST" });
      if (refusal !== undefined) {
        refuse(response, refusal);
        return undefined;
      }
      const socket = await session.openSocket(request, response);
      if (socket === undefined || request.recorded === undefined) return socket;
      const kept: LiveMessages = { entry: request.recorded, texts: [], skipped: 0 };
      messages.push(kept);
      return keepMessages(socket, kept);
    },
    branch: () => guarded(session.branch(), own),
    close: () => session.close(),
  });
  return {
    open(user) {
      const own: SentExchange[] = [];
      const session = guarded(sender.open(user), own);
      exchanges.set(session, own);
      return session;
    },
    close: () => sender.close(),
    takeExchanges: (session) => exchanges.get(session)?.splice(0) ?? [],
    takeMessages: () => messages.splice(0),
  };
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
