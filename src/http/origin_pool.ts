import { Queue } from "../base/queue.ts";
import type { Connection } from "./connection.ts";

/** Maximum number of HTTP/1.1 connections of one VU to one origin, as in browsers and k6. */
const MAX_CONNECTIONS = 6;

export interface Waiter {
  wake(): boolean;
}

/** Connections of a VU to an origin. The last used one is taken first. */
export class OriginPool {
  /** Reports whether one connection may run several exchanges, which the first one shows. */
  readonly #mayShare: () => boolean;
  readonly #idle: Connection[] = [];
  readonly #waiting = new Queue<Waiter>();
  #shared: Connection | undefined;
  /** Number of connections that are idle, in use or being opened. */
  #count = 0;
  #closed = false;

  constructor(mayShare: () => boolean) {
    this.#mayShare = mayShare;
  }

  /** Returns a free connection, if there is one. Discards those that are no longer usable. */
  take(): Connection | undefined {
    for (;;) {
      const connection = this.#shared ?? this.#idle.pop();
      if (connection === undefined || connection.usable) return connection;
      this.discard(connection);
    }
  }

  give(connection: Connection): void {
    if (!connection.usable) this.discard(connection);
    else if (!connection.shared) {
      this.#idle.push(connection);
      if (this.#waiting.size > 0) this.wakeNext();
    }
  }

  /** Removes a connection from the pool and closes it as soon as its last exchange has ended. */
  discard(connection: Connection): void {
    connection.retire();
    if (connection.shared && connection !== this.#shared) return;
    if (connection === this.#shared) this.#shared = undefined;
    this.#count--;
    this.wakeNext();
  }

  /** Closes idle connections, which may be stale because one of them was. */
  discardIdle(): void {
    for (const connection of this.#idle.splice(0)) this.discard(connection);
  }

  /** Until it is known whether connections can be shared, only one is opened. */
  get mayOpen(): boolean {
    return this.#count === 0 || (this.#count < MAX_CONNECTIONS && !this.#mayShare());
  }

  async open(connect: () => Promise<Connection>): Promise<Connection> {
    this.#count++;
    try {
      const connection = await connect();
      if (this.#closed) connection.close();
      else if (connection.shared) this.#share(connection);
      return connection;
    } catch (error) {
      this.#count--;
      throw error;
    } finally {
      // It is now known whether connections can be shared.
      for (let waiting = this.#waiting.size; waiting > 0; waiting--) this.wakeNext();
    }
  }

  wait(waiter: Waiter): void {
    this.#waiting.push(waiter);
  }

  /** Wakes the request that has waited longest, which uses a connection or wakes the next. */
  wakeNext(): void {
    let waiter = this.#waiting.shift();
    while (waiter && !waiter.wake()) waiter = this.#waiting.shift();
  }

  /** Closes the connections, and one that is being opened once it is open. */
  close(): void {
    this.#closed = true;
    for (const connection of this.#idle) connection.close();
    this.#shared?.close();
  }

  /**
   * Makes `connection` the shared connection and retires the previous one, if any. There can be two
   * shared connections if an origin changes from HTTP/1.1 to HTTP/2 while connections are being
   * opened.
   */
  #share(connection: Connection): void {
    const before = this.#shared;
    this.#shared = connection;
    if (before === undefined) return;
    before.retire();
    this.#count--;
  }
}
