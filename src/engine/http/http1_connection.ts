import { setImmediate } from "node:timers";
import type { HttpResponse, Outgoing } from "../sender.ts";
import { closeQuietly } from "./close_quietly.ts";
import type { Connection } from "./connection.ts";
import { encodeRequest } from "./encode_request.ts";
import type { KnownHeads } from "./known_head.ts";
import type { Limits } from "./response_limits.ts";
import type { ReadBuffer, ReadBuffers } from "./read_buffers.ts";
import { ResponseParser } from "./response_parser.ts";
import type { Wire } from "./wire.ts";

/** A request up to this size is written before the answer is read; a larger one at the same time. */
const WRITTEN_FIRST = 64 * 1024;
/** After so long at rest the peer may have closed: worth a look before a request is sent. */
const REST_MS = 500;

/** What the connections of a sender have in common. */
export interface Http1Shared {
  readonly limits: Limits;
  readonly keepAlive: boolean;
  readonly buffers: ReadBuffers;
  readonly heads: KnownHeads;
}

/** HTTP/1.1 over one wire, one request at a time. */
export class Http1Connection implements Connection {
  readonly shared = false;
  usable = true;
  readonly #wire: Wire;
  readonly #parser: ResponseParser;
  readonly #buffers: ReadBuffers;
  readonly #keepAlive: boolean;
  #sent = 0;
  #sentAt = 0;
  #restingSince = Infinity;
  #ahead: ReadAhead | undefined;

  constructor(wire: Wire, { limits, keepAlive, buffers, heads }: Http1Shared) {
    this.#wire = wire;
    this.#parser = new ResponseParser(limits, heads);
    this.#buffers = buffers;
    this.#keepAlive = keepAlive;
  }

  isAlive(now: number): boolean | Promise<boolean> {
    return now - this.#restingSince < REST_MS || this.#isQuiet();
  }

  async exchange(request: Outgoing, reply: HttpResponse, from: number): Promise<void> {
    const bytes = request.encoded ??= encodeRequest(request, this.#keepAlive);
    this.usable = false;
    this.#sent = 0;
    this.#sentAt = from;
    this.#parser.begin(request.method, request.needs, reply);
    if (bytes.length > WRITTEN_FIRST) void this.#write(bytes);
    else {
      try {
        this.#sent = await this.#wire.write(bytes);
        if (this.#sent < bytes.length) await this.#write(bytes);
        else this.#sentAt = performance.now();
      } catch {
        this.#sentAt = performance.now();
      }
    }
    let buffer = this.#ahead?.buffer ?? this.#buffers.take();
    const reading = this.#ahead?.size ?? this.#wire.read(buffer.bytes);
    this.#ahead = undefined;
    try {
      let size = await reading;
      const firstAt = performance.now();
      let lastAt = firstAt;
      this.#take(buffer, size, reply);
      if (!this.#parser.done) {
        do {
          if (size === buffer.bytes.length) buffer = this.#buffers.enlarge(buffer);
          size = await this.#wire.read(buffer.bytes);
          this.#take(buffer, size, reply);
        } while (!this.#parser.done);
        lastAt = performance.now();
      }
      this.#recordTimes(reply, from, firstAt, lastAt);
      this.usable = this.#keepAlive && this.#parser.reusable && this.#sent === bytes.length;
    } finally {
      reply.bytesSent = this.#sent;
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

  /** Writes what is not yet sent. Does not reject: what keeps it from writing shows in the answer. */
  async #write(bytes: Uint8Array): Promise<void> {
    try {
      while (this.#sent < bytes.length) {
        this.#sent += await this.#wire.write(bytes.subarray(this.#sent));
      }
    } catch {
      // An answer may have come all the same: "413, and I read no further".
    }
    this.#sentAt = performance.now();
  }

  #take(buffer: ReadBuffer, size: number | null, reply: HttpResponse): void {
    if (size === null) return this.#parser.end();
    reply.bytesReceived += size;
    this.#parser.push(buffer, size);
  }

  /** An answer may begin before all of the request is sent: then there was no waiting. */
  #recordTimes(reply: HttpResponse, from: number, firstAt: number, lastAt: number): void {
    const answerFrom = Math.max(firstAt, this.#sentAt);
    reply.sendingMs = this.#sentAt - from;
    reply.waitingMs = answerFrom - this.#sentAt;
    reply.receivingMs = lastAt - answerFrom;
    this.#restingSince = lastAt;
  }

  /**
   * Begins to read before a request is sent. Bytes or an end that are there already mean that the
   * peer has had enough; otherwise the answer will come of this read.
   */
  async #isQuiet(): Promise<boolean> {
    const buffer = this.#buffers.take();
    const ahead = { buffer, size: this.#wire.read(buffer.bytes) };
    let quiet = true;
    const ended = () => quiet = false;
    ahead.size.then(ended, ended);
    await new Promise((resolve) => setImmediate(resolve));
    this.#ahead = ahead;
    return quiet;
  }
}

interface ReadAhead {
  readonly buffer: ReadBuffer;
  readonly size: Promise<number | null>;
}
