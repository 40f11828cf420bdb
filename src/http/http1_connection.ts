import type { Proxy } from "./network_options.ts";
import type { HttpResponse, Outgoing } from "./sender.ts";
import {
  batchTime,
  closeQuietly,
  type Connection,
  type ConnectionShared,
  type ReadBuffer,
  type ReadBuffers,
  type Wire,
} from "./connection.ts";
import { encodeRequest } from "./encode_request.ts";
import { ResponseParser } from "./response_parser.ts";

/**
 * Larger requests need not be written completely: the server may respond without reading the rest,
 * and the connection is then not reused.
 */
const AWAITED_WRITE_BYTES = 64 * 1024;
const NOTHING = new Uint8Array();

/**
 * HTTP/1.1 connection over one byte stream. Runs one exchange at a time. A read is always pending:
 * it receives the next response or, between exchanges, shows that the peer has closed the
 * connection or violated the protocol.
 */
export class Http1Connection implements Connection {
  readonly shared = false;
  usable = true;
  idleSince: number = Infinity;
  readonly #wire: Wire;
  readonly #parser: ResponseParser;
  readonly #buffers: ReadBuffers;
  readonly #keepAlive: boolean;
  readonly #proxy: Proxy | undefined;
  /** Encoded request of the current exchange; empty between exchanges. */
  #request: Uint8Array = NOTHING;
  #response!: HttpResponse;
  /** Pending read. It is also the result of the exchange in progress, if any. */
  #reading!: Promise<void>;
  #buffer!: ReadBuffer;
  #writing: Promise<void> | undefined;
  #from = 0;
  #sent = 0;
  #sentAt = 0;

  /** `proxy` is that to which the connection leads, if it forwards requests to any origin. */
  constructor(
    wire: Wire,
    { limits, keepAlive, buffers, heads }: ConnectionShared,
    proxy?: Proxy,
  ) {
    this.#proxy = proxy;
    this.#wire = wire;
    this.#parser = new ResponseParser(limits, heads);
    this.#buffers = buffers;
    this.#keepAlive = keepAlive;
    this.#listen(0);
  }

  exchange(request: Outgoing, response: HttpResponse, from: number): Promise<void> {
    try {
      return this.#start(request, response, from);
    } catch (error) {
      return Promise.reject(error);
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

  // Handlers instead of async functions, which would allocate 0.9 KB per request.
  // bench: scripts/bench/http.ts
  #start(request: Outgoing, response: HttpResponse, from: number): Promise<void> {
    const bytes = this.#proxy === undefined
      ? request.encoded ??= encodeRequest(request, this.#keepAlive)
      : encodeRequest(forwarded(request, this.#proxy), this.#keepAlive);
    this.usable = false;
    this.#request = bytes;
    this.#response = response;
    this.#from = this.#sentAt = from;
    this.#sent = 0;
    this.#parser.begin(request.method, request.needs, response, request.stream);
    this.#writing = this.#write(bytes);
    return this.#reading;
  }

  /** Starts a read. The next response probably has about as many bytes as the last one. */
  #listen(expected: number): void {
    const buffer = this.#buffer = this.#buffers.take(expected);
    this.#reading = this.#wire.read(buffer.bytes).then(this.#received, this.#failed);
  }

  #write(bytes: Uint8Array): Promise<void> {
    return this.#wire.write(bytes).then(this.#written, this.#unwritten);
  }

  #written = (size: number): Promise<void> | void => {
    this.#sent += size;
    if (this.#sent < this.#request.length) return this.#write(this.#request.subarray(this.#sent));
    this.#sentAt = batchTime();
  };

  /** The pending read fails too, unless the server has responded and stopped reading. */
  #unwritten = (): void => {
    this.#sentAt = batchTime();
  };

  #received = (size: number | null): Promise<void> | void => {
    if (this.#request === NOTHING) return this.#endIdle();
    const firstAt = batchTime();
    try {
      this.#take(size);
    } catch (error) {
      this.#failed(error);
    }
    if (!this.#parser.done || this.#mustWrite) return this.#receiveRest(size, firstAt);
    this.#complete(firstAt, firstAt);
  };

  #failed = (error: unknown): void => {
    if (this.#request === NOTHING) return this.#endIdle();
    this.#release();
    throw error;
  };

  #endIdle(): void {
    this.#buffers.give(this.#buffer);
    this.close();
  }

  async #receiveRest(firstSize: number | null, firstAt: number): Promise<void> {
    let lastAt = firstAt;
    try {
      for (let size = firstSize; !this.#parser.done; lastAt = performance.now()) {
        if (size === this.#buffer.bytes.length) this.#buffer = this.#buffers.enlarge(this.#buffer);
        size = await this.#wire.read(this.#buffer.bytes);
        this.#take(size);
      }
    } catch (error) {
      this.#failed(error);
    }
    if (this.#mustWrite) {
      await this.#writing;
      lastAt = Math.max(lastAt, this.#sentAt);
    }
    this.#complete(firstAt, lastAt);
  }

  get #mustWrite(): boolean {
    const { length } = this.#request;
    return this.#sent < length && length <= AWAITED_WRITE_BYTES;
  }

  #complete(firstAt: number, lastAt: number): void {
    this.#recordTimes(firstAt, lastAt);
    this.usable = this.#keepAlive && this.#parser.reusable && this.#sent === this.#request.length;
    this.#release();
    if (this.usable) this.#listen(this.#response.bytesReceived);
  }

  #release(): void {
    this.#response.bytesSent += this.#sent;
    this.#parser.takePartial();
    this.#buffers.give(this.#buffer);
    this.#request = NOTHING; // An idle connection must not keep a large body in memory.
  }

  #take(size: number | null): void {
    if (size === null) return this.#parser.end();
    this.#response.bytesReceived += size;
    this.#parser.push(this.#buffer, size);
  }

  #recordTimes(firstAt: number, lastAt: number): void {
    const response = this.#response;
    const receivingAt = Math.max(firstAt, this.#sentAt);
    response.sendingMs = this.#sentAt - this.#from;
    response.waitingMs = receivingAt - this.#sentAt;
    response.receivingMs = lastAt - receivingAt;
    this.idleSince = lastAt;
  }
}

/** Returns a request as a proxy receives it: with an absolute URL and the proxy's credentials. */
function forwarded(request: Outgoing, { authorization }: Proxy): Outgoing {
  const { origin, target, headers } = request;
  return {
    ...request,
    target: `http://${origin.authority}${target === "*" ? "" : target}`,
    headers: authorization === undefined
      ? headers
      : [...headers, ["Proxy-Authorization", authorization]],
  };
}
