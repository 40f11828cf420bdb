import { setImmediate } from "node:timers";
import type { HttpResponse, Outgoing } from "./sender.ts";
import type { Connection } from "./connection.ts";
import { encodeRequest } from "./encode_request.ts";
import type { KnownHeads } from "./known_head.ts";
import type { Limits } from "./network_options.ts";
import type { ReadBuffer, ReadBuffers } from "./read_buffers.ts";
import { ResponseParser } from "./response_parser.ts";
import { closeQuietly, type Wire } from "./wire.ts";

/**
 * Maximum size in bytes of a request that is written completely before the response is read. Larger
 * requests are written while the response is read, because the server may respond before it has
 * read the whole request.
 */
const WRITE_FIRST_BYTES = 64 * 1024;
/**
 * Idle time in milliseconds after which a connection is checked before reuse, because the peer may
 * have closed it.
 */
const CHECK_AFTER_IDLE_MS = 500;

/** Options and caches shared by all connections of a sender. */
export interface Http1Shared {
  readonly limits: Limits;
  readonly keepAlive: boolean;
  readonly buffers: ReadBuffers;
  readonly heads: KnownHeads;
}

/** HTTP/1.1 connection over one byte stream. Runs one exchange at a time. */
export class Http1Connection implements Connection {
  readonly shared = false;
  usable = true;
  readonly #wire: Wire;
  readonly #parser: ResponseParser;
  readonly #buffers: ReadBuffers;
  readonly #keepAlive: boolean;
  #sent = 0;
  #sentAt = 0;
  #idleSince = Infinity;
  #readAhead: ReadAhead | undefined;

  constructor(wire: Wire, { limits, keepAlive, buffers, heads }: Http1Shared) {
    this.#wire = wire;
    this.#parser = new ResponseParser(limits, heads);
    this.#buffers = buffers;
    this.#keepAlive = keepAlive;
  }

  isAlive(now: number): boolean | Promise<boolean> {
    return now - this.#idleSince < CHECK_AFTER_IDLE_MS || this.#isQuiet();
  }

  async exchange(request: Outgoing, response: HttpResponse, from: number): Promise<void> {
    const bytes = request.encoded ??= encodeRequest(request, this.#keepAlive);
    this.usable = false;
    this.#sent = 0;
    this.#sentAt = from;
    this.#parser.begin(request.method, request.needs, response, request.stream);
    if (bytes.length > WRITE_FIRST_BYTES) void this.#write(bytes);
    else {
      try {
        this.#sent = await this.#wire.write(bytes);
        if (this.#sent < bytes.length) await this.#write(bytes);
        else this.#sentAt = performance.now();
      } catch {
        this.#sentAt = performance.now();
      }
    }
    let buffer = this.#readAhead?.buffer ?? this.#buffers.take();
    const reading = this.#readAhead?.size ?? this.#wire.read(buffer.bytes);
    this.#readAhead = undefined;
    try {
      let size = await reading;
      const firstAt = performance.now();
      let lastAt = firstAt;
      this.#take(buffer, size, response);
      if (!this.#parser.done) {
        do {
          if (size === buffer.bytes.length) buffer = this.#buffers.enlarge(buffer);
          size = await this.#wire.read(buffer.bytes);
          this.#take(buffer, size, response);
        } while (!this.#parser.done);
        lastAt = performance.now();
      }
      this.#recordTimes(response, from, firstAt, lastAt);
      this.usable = this.#keepAlive && this.#parser.reusable && this.#sent === bytes.length;
    } finally {
      response.bytesSent = this.#sent;
      this.#parser.takePartial();
      this.#buffers.give(buffer);
    }
  }

  abort(): void {
    this.close();
  }

  retire(): void {
    this.close();
  }

  close(): void {
    this.usable = false;
    closeQuietly(this.#wire);
  }

  /** Writes the rest of the request. Never rejects, because the read reports the same error. */
  async #write(bytes: Uint8Array): Promise<void> {
    try {
      while (this.#sent < bytes.length) {
        this.#sent += await this.#wire.write(bytes.subarray(this.#sent));
      }
    } catch {
      // The server may have responded and stopped reading, for example with status 413.
    }
    this.#sentAt = performance.now();
  }

  #take(buffer: ReadBuffer, size: number | null, response: HttpResponse): void {
    if (size === null) return this.#parser.end();
    response.bytesReceived += size;
    this.#parser.push(buffer, size);
  }

  /**
   * Records the durations of the phases. If the response starts before the whole request has been
   * sent, the waiting time is 0.
   */
  #recordTimes(response: HttpResponse, from: number, firstAt: number, lastAt: number): void {
    const receivingAt = Math.max(firstAt, this.#sentAt);
    response.sendingMs = this.#sentAt - from;
    response.waitingMs = receivingAt - this.#sentAt;
    response.receivingMs = lastAt - receivingAt;
    this.#idleSince = lastAt;
  }

  /**
   * Checks an idle connection by starting a read before the next request is sent. Resolves to false
   * if the read completes at once: the peer has closed the connection or violated the protocol.
   * Otherwise, the next exchange continues with this read.
   */
  async #isQuiet(): Promise<boolean> {
    const buffer = this.#buffers.take();
    const readAhead = { buffer, size: this.#wire.read(buffer.bytes) };
    let quiet = true;
    const settled = () => quiet = false;
    readAhead.size.then(settled, settled);
    await new Promise((resolve) => setImmediate(resolve));
    this.#readAhead = readAhead;
    return quiet;
  }
}

/** Read that was started to check an idle connection. The next exchange uses its result. */
interface ReadAhead {
  readonly buffer: ReadBuffer;
  readonly size: Promise<number | null>;
}
