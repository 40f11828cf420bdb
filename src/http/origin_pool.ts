import { Queue } from "../base/queue.ts";
import type { Connection } from "./connection.ts";

/** Maximum number of HTTP/1.1 connections of one VU to one origin, as in browsers and k6. */
const MAX_CONNECTIONS = 6;

export interface Waiter {
  wake(): boolean;
}

/**
 * Pool of the connections of one VU to one origin: up to six over HTTP/1.1, or one over HTTP/2. The
 * most recently used connection is taken first, so that a sequential flow stays on one connection.
 */
export class OriginPool {
  /**
   * Reports whether a connection to this origin can run several exchanges at once (HTTP/2). Returns
   * true until the first connection is open, because the protocol is unknown until then.
   */
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

  /**
   * Returns an open connection for the next exchange, or undefined if no connection is free.
   * Discards connections that are no longer usable.
   */
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

  /**
   * Closes all idle connections. Call this if one of them was stale, because the others may be
   * stale too.
   */
  discardIdle(): void {
    for (const connection of this.#idle.splice(0)) this.discard(connection);
  }

  /**
   * True if another connection may be opened. Only one connection is opened until it is known that
   * connections to this origin cannot be shared.
   */
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

  /**
   * Wakes the request that has waited longest. If that request does not use the free connection, it
   * must call this method again.
   */
  wakeNext(): void {
    let waiter = this.#waiting.shift();
    while (waiter && !waiter.wake()) waiter = this.#waiting.shift();
  }

  /**
   * Closes idle and shared connections at once. A connection that is still being opened is closed
   * once it is open.
   */
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
