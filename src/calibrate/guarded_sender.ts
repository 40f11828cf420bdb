import {
  clearResponse,
  type HttpResponse,
  type HttpSession,
  newResponse,
  type Origin,
  type Outgoing,
  type Sender,
  type Socket,
  type SocketListener,
} from "../http/sender.ts";
import type { WriteBudget } from "./budget.ts";

/** A request that was sent, and the response to it. */
export interface SentExchange {
  readonly request: Outgoing;
  readonly response: HttpResponse;
}

/** Sends requests only to allowed origins and within a write budget, and keeps the exchanges. */
export interface GuardedSender extends Sender {
  /** Returns the exchanges of a VU since the previous call of `takeExchanges`, in order. */
  takeExchanges(vu: number): SentExchange[];
  /**
   * Returns the messages of all WebSockets since the last call, in the order in which the
   * WebSockets were opened.
   */
  takeMessages(): LiveMessages[];
}

/** Limits for the requests of a calibration. */
export interface SenderGuards {
  /** Reports whether requests may be sent to an origin. */
  readonly isAllowed: (origin: Origin) => boolean;
  readonly budget: WriteBudget;
  /**
   * Called with each response to a request that opens a WebSocket. Waits if the response enforces a
   * rate limit. `waits` is the number of times that the request has waited. Returns true if the
   * request must be sent again.
   */
  readonly waitToOpen: (response: HttpResponse, waits: number) => Promise<boolean>;
}

/** Wraps `sender`. A request that must not be sent fails with an error. */
export function guardSender(
  sender: Sender,
  { isAllowed, budget, waitToOpen }: SenderGuards,
): GuardedSender {
  const exchanges = new Map<number, SentExchange[]>();
  const messages: LiveMessages[] = [];
  const refusalOf = (request: Outgoing): string | undefined => {
    const { origin } = request;
    if (!isAllowed(origin)) return `not sent: the plan does not use the origin ${origin.authority}`;
    return budget.allows(request)
      ? undefined
      : `not sent: the limit of ${budget.limit} writes has been reached`;
  };
  const guarded = (session: HttpSession, vu: number): HttpSession => ({
    async send(request, response, now) {
      const refusal = refusalOf(request);
      if (refusal === undefined) await session.send(request, response, now);
      else refuse(response, refusal, now);
      const list = exchanges.get(vu) ?? [];
      exchanges.set(vu, list);
      list.push({ request, response: Object.assign(newResponse(), response) });
    },
    async openSocket(request, response) {
      // The messages of a WebSocket may write, so opening it counts as a write.
      const write = { ...request, method: "POST" };
      const refusal = refusalOf(write);
      if (refusal !== undefined) {
        refuse(response, refusal);
        return undefined;
      }
      let socket = await session.openSocket(request, response);
      for (let waits = 0; await waitToOpen(response, waits); waits++) {
        if (refusalOf(write) !== undefined) break; // Keeps the response of the server.
        socket = await session.openSocket(request, response);
      }
      if (socket === undefined || request.recorded === undefined) return socket;
      const kept: LiveMessages = { entry: request.recorded, texts: [], skipped: 0 };
      messages.push(kept);
      return keepMessages(socket, kept);
    },
    branch: () => guarded(session.branch(), vu),
    close: () => session.close(),
  });
  return {
    open: (user = "") => guarded(sender.open(user), Number(user.split(" ").at(-1))),
    close: () => sender.close(),
    takeExchanges(vu) {
      const list = exchanges.get(vu) ?? [];
      exchanges.delete(vu);
      return list;
    },
    takeMessages: () => messages.splice(0),
  };
}

function refuse(response: HttpResponse, why: string, now = performance.now()): void {
  clearResponse(response, now);
  response.error = "cancelled";
  response.message = why;
}

/** Messages that a WebSocket of a live application sent to one user. */
export interface LiveMessages {
  /** One-based index of the HAR entry that opened the WebSocket in the recording. */
  readonly entry: number;
  /** Text of the messages, in order. */
  readonly texts: string[];
  /**
   * Number of messages that were not kept: binary ones, and those after the first 1,000 messages or
   * 4,000,000 UTF-16 code units.
   */
  skipped: number;
}

/** Maximum number of messages of one WebSocket that are kept. */
const MOST_KEPT = 1_000;
/** Maximum total length of the messages of one WebSocket that are kept, in UTF-16 code units. */
const MOST_TEXT = 4_000_000;

/** Wraps a WebSocket. Adds each message that it receives to `to`. */
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

/**
 * Maximum time, in milliseconds, to wait for a user who sends no request. The other users then
 * continue.
 */
const PATIENCE_MS = 1_000;

/**
 * Lets only one user at a time send a request, and keeps the number of requests equal: a user can
 * send the next request only after all others have sent theirs. Waits at most one second for users
 * who send no request, for example because they have finished. Users can also be staggered, so that
 * each is a fixed number of requests ahead of the next user.
 */
export class LockStep {
  readonly #done = new Map<number, number>();
  #waiting: { readonly user: number; readonly resolve: () => void }[] = [];
  #holder: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOpen = false;

  /** Creates a lock for users with these numbers, each `lead` requests ahead of the next user. */
  constructor(users: readonly number[], lead = 0) {
    users.forEach((user, i) => this.#done.set(user, i * lead));
  }

  /** Waits for the turn of a user. Returns at once if it is already the user's turn. */
  take(user: number): Promise<void> {
    if (this.#isOpen || this.#holder === user) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push({ user, resolve });
      if (!this.#done.has(user)) this.#done.set(user, Math.max(0, ...this.#done.values()));
      this.#next();
    });
  }

  /**
   * Lets all users continue without waiting for their turns, now and in the future. Call this
   * method when the round is aborted.
   */
  open(): void {
    this.#isOpen = true;
    clearTimeout(this.#timer);
    for (const { resolve } of this.#waiting) resolve();
    this.#waiting = [];
  }

  release(user: number): void {
    if (this.#holder !== user) return;
    this.#holder = undefined;
    this.#done.set(user, (this.#done.get(user) ?? 0) + 1);
    this.#next();
  }

  #next(): void {
    if (this.#holder !== undefined || this.#waiting.length === 0) return;
    clearTimeout(this.#timer);
    const count = (user: number) => this.#done.get(user) ?? 0;
    const first = this.#waiting.reduce((a, b) => count(b.user) < count(a.user) ? b : a);
    const absent = [...this.#done.keys()].filter((user) =>
      !this.#waiting.some((one) => one.user === user)
    );
    if (absent.every((user) => count(user) >= count(first.user))) return this.#grant(first.user);
    this.#timer = setTimeout(() => {
      for (const user of absent) this.#done.delete(user);
      this.#next();
    }, PATIENCE_MS);
  }

  #grant(user: number): void {
    this.#holder = user;
    const { resolve } = this.#waiting.find((one) => one.user === user)!;
    this.#waiting = this.#waiting.filter((one) => one.user !== user);
    resolve();
  }
}
