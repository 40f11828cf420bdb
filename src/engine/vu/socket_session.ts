import { oneLine } from "../../base/safe_text.ts";
import { Queue } from "../../base/queue.ts";
import type { Socket, SocketEnd, SocketListener, SocketMessage } from "../../http/sender.ts";
import type { Fault } from "../metrics/failures.ts";
import type { SocketSeries } from "../metrics/recorder.ts";
import { FlowEnd } from "./flow_end.ts";

export interface Received {
  readonly message: SocketMessage;
  readonly size: number;
}

/** Text message of the server, and the content of the text message that is then sent. */
export interface SocketHeartbeat {
  readonly receive: string;
  readonly send: Uint8Array;
}

export interface SocketWaiter {
  readonly canceled: boolean;
  idleUntil(time: number): Promise<void>;
  wakeIdle(): void;
}

/** Thrown if a WebSocket is no longer open. Ends the steps inside its `websocket` step. */
export class SocketGone extends Error {
  override readonly name = "SocketGone";
  readonly session: SocketSession;

  constructor(session: SocketSession) {
    super("the WebSocket has ended");
    this.session = session;
  }
}

const MAX_WAITING = 10_000;
/** Maximum total size, in bytes, of the messages that are buffered until a step reads them. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

export class SocketSession implements SocketListener {
  end: SocketEnd | undefined;
  /** Describes the last message that the current `expect` step skipped, if any. */
  skipped: NonNullable<Fault>["details"];
  readonly #socket: Socket;
  readonly #series: SocketSeries;
  /** True if a step reads messages. If false, messages are only counted. */
  readonly #reads: boolean;
  readonly #heartbeat: SocketHeartbeat | undefined;
  readonly #messages = new Queue<Received>();
  readonly #waiters = new Set<SocketWaiter>();
  #waitingBytes = 0;
  #dropped = 0;
  #failed = false;
  #isResponding = false;
  #counted = { bytesSent: 0, bytesReceived: 0 };

  constructor(socket: Socket, series: SocketSeries, reads: boolean, heartbeat?: SocketHeartbeat) {
    this.#socket = socket;
    this.#series = series;
    this.#reads = reads;
    this.#heartbeat = heartbeat;
    socket.listen(this);
  }

  onMessage(message: SocketMessage, size: number): void {
    this.#series.received();
    this.#countTraffic();
    if (message === this.#heartbeat?.receive) {
      this.#respond(this.#heartbeat.send);
      return;
    }
    if (!this.#reads) return;
    this.#messages.push({ message, size });
    this.#waitingBytes += size;
    while (this.#messages.size > MAX_WAITING || this.#waitingBytes > MAX_WAITING_BYTES) {
      this.#waitingBytes -= this.#messages.shift()!.size;
      this.#dropped++;
    }
    this.#wake();
  }

  /** Responds to a heartbeat, once until the response is sent: a flood of them fills no memory. */
  #respond(content: Uint8Array): void {
    if (this.#isResponding) return;
    this.#isResponding = true;
    const isDone = () => this.#isResponding = false;
    this.send(content, true).then(isDone, isDone);
  }

  onEnd(end: SocketEnd): void {
    this.end = end;
    this.#countTraffic();
    this.#wake();
  }

  /** Sends a message. Throws `SocketGone` if the WebSocket is no longer open. */
  async send(content: Uint8Array, isText: boolean): Promise<void> {
    if (this.end !== undefined) throw this.#gone("before the step `send`");
    await this.#socket.send(content, isText);
    this.#series.sent();
    this.#countTraffic();
  }

  /**
   * Returns the oldest message that no step has read, or waits for the next message. Resolves to
   * undefined if no message arrives before the clock time `time`. Throws `SocketGone` if the
   * WebSocket closes first.
   */
  async next(vu: SocketWaiter, now: () => number, time: number): Promise<Received | undefined> {
    for (;;) {
      const next = this.#messages.shift();
      if (next !== undefined) {
        this.#waitingBytes -= next.size;
        return next;
      }
      if (this.end !== undefined) {
        throw this.#gone("before the expected message arrived", this.skipped);
      }
      if (now() >= time) return undefined;
      await this.#event(vu, time);
    }
  }

  async stayOpen(vu: SocketWaiter, now: () => number, time: number): Promise<void> {
    while (now() < time) {
      if (this.end !== undefined) throw this.#gone("during the step `wait`");
      await this.#event(vu, time);
    }
  }

  /** Closes the WebSocket, if it is open, and waits until the server has done so. */
  async close(vu: SocketWaiter, code: number, reason: string): Promise<void> {
    this.#socket.close(code, reason);
    // The connection has its own time limit for closing, so this loop ends.
    while (this.end === undefined) await this.#event(vu, Infinity);
  }

  abort(): void {
    this.#socket.abort();
  }

  fail(fault: NonNullable<Fault>): void {
    this.#failed = true;
    this.#series.fault(fault);
  }

  recordEnd(ms: number): void {
    const { error, message } = this.end ?? {};
    if (error !== undefined && !this.#failed) this.fail({ kind: error, message: message ?? error });
    this.#series.ended(ms, this.#failed);
  }

  /** Describes the messages that were discarded because too many were buffered. */
  get discarded(): string {
    return this.#dropped === 0 ? "" : ` (${this.#dropped} older messages were discarded unread)`;
  }

  #gone(when: string, details?: NonNullable<Fault>["details"]): SocketGone {
    const { error, code, reason, message } = this.end!;
    if (error !== undefined) this.fail({ kind: error, message: `${message} ${when}`, details });
    else {
      const why = reason === "" ? `code ${code}` : `code ${code}: ${oneLine(reason)}`;
      const text = `the WebSocket was closed (${why}) ${when}`;
      this.fail({ kind: "closed", message: text, details });
    }
    return new SocketGone(this);
  }

  async #event(vu: SocketWaiter, time: number): Promise<void> {
    if (vu.canceled) throw new FlowEnd("iteration");
    this.#waiters.add(vu);
    await vu.idleUntil(time);
    this.#waiters.delete(vu);
    if (vu.canceled) throw new FlowEnd("iteration");
  }

  #wake(): void {
    for (const waiter of this.#waiters) waiter.wakeIdle();
  }

  #countTraffic(): void {
    const { bytesSent, bytesReceived } = this.#socket;
    this.#series.traffic(this.#counted, this.#socket);
    this.#counted = { bytesSent, bytesReceived };
  }
}
