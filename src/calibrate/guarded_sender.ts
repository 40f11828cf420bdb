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
import type { WriteBudget } from "./budget.ts";

/** A request that was sent, and the response to it. */
export interface SentExchange {
  readonly request: Outgoing;
  readonly response: HttpResponse;
}

/** Sends requests only to allowed origins and within a write budget, and keeps the exchanges. */
export interface GuardedSender extends Sender {
  /** Returns the exchanges of a session since the last call of `takeExchanges`, in order. */
  takeExchanges(session: HttpSession): SentExchange[];
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
