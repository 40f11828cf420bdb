import { Queue } from "../../base/queue.ts";
import type { Connection } from "./connection.ts";

/** Maximum number of HTTP/1.1 connections of one VU to one origin, as in browsers and k6. */
const MAX_CONNECTIONS = 6;

/** Something that waits for a connection. */
export interface Waiter {
  /** Wakes it; returns false if it no longer waits. */
  wake(): boolean;
}

/**
 * The connections of one VU to one origin: up to six of HTTP/1.1, or one of HTTP/2. A connection
 * that was used last is taken first, so that a sequential flow stays on one.
 */
export class OriginPool {
  /** Whether connections of this origin can be shared, or it is not known yet. */
  readonly #mayShare: () => boolean;
  readonly #idle: Connection[] = [];
  readonly #waiting = new Queue<Waiter>();
  #shared: Connection | undefined;
  /** Connections that are idle, in use, or being made. */
  #count = 0;
  #closed = false;

  constructor(mayShare: () => boolean) {
    this.#mayShare = mayShare;
  }

  /** Takes a connection that was used before, if one is free. */
  take(): Connection | undefined {
    return this.#shared ?? this.#idle.pop();
  }

  /** Takes back a connection after an exchange. */
  give(connection: Connection): void {
    if (!connection.usable) this.discard(connection);
    else if (!connection.shared) {
      this.#idle.push(connection);
      if (this.#waiting.size > 0) this.wakeNext();
    }
  }

  /** Removes a connection that was taken, and closes it once nothing uses it. */
  discard(connection: Connection): void {
    connection.retire();
    if (connection.shared && connection !== this.#shared) return;
    if (connection === this.#shared) this.#shared = undefined;
    this.#count--;
    this.wakeNext();
  }

  /** Closes the connections that nobody uses: one of them was stale, so they may all be. */
  discardIdle(): void {
    for (const connection of this.#idle.splice(0)) this.discard(connection);
  }

  /**
   * Whether another connection may be made. While it is not known whether the first can be shared,
   * the others wait for it.
   */
  get mayOpen(): boolean {
    return this.#count === 0 || (this.#count < MAX_CONNECTIONS && !this.#mayShare());
  }

  /** Makes a connection; rejects as `connect` does. */
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
      // What the others wait for is known now.
      for (let waiting = this.#waiting.size; waiting > 0; waiting--) this.wakeNext();
    }
  }

  /** Has `waiter` woken when a connection may be free. */
  wait(waiter: Waiter): void {
    this.#waiting.push(waiter);
  }

  /** Wakes the one that has waited longest. A waiter that was woken in vain passes it on. */
  wakeNext(): void {
    let waiter = this.#waiting.shift();
    while (waiter && !waiter.wake()) waiter = this.#waiting.shift();
  }

  /** Closes idle and shared connections, and those that are still being made. */
  close(): void {
    this.#closed = true;
    for (const connection of this.#idle) connection.close();
    this.#shared?.close();
  }

  /** An origin can change from HTTP/1.1 to HTTP/2 while connections are made: the last one counts. */
  #share(connection: Connection): void {
    const before = this.#shared;
    this.#shared = connection;
    if (before === undefined) return;
    before.retire();
    this.#count--;
  }
}
