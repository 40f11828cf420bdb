import { InputError } from "../base/errors.ts";
import { describeFetchFault, describeStatus, isTemporary } from "./http_status.ts";
import { MAX_FAILURES, MAX_UNANSWERED, pause, pauseMs } from "./retry.ts";

/** A remote object that can be read over HTTP. */
export interface RemoteObject {
  /** Name to show in messages: the URL of the object without credentials. */
  readonly name: string;
  /** Size in bytes, if a listing contained it. */
  readonly size?: number;
  /** Sends a GET request with these headers. */
  get(headers: Readonly<Record<string, string>>): Promise<Response>;
}

/**
 * Downloads an object. After a lost connection, resumes with a range request. Reports an error if
 * the object changes in the meantime or is shorter than the server announced.
 */
export class Download {
  /** Size of the object in bytes. Undefined until a listing or a response specifies it. */
  size: number | undefined;
  readonly #object: RemoteObject;
  readonly #wait: (ms: number) => Promise<void>;
  #offset = 0;
  #ended = false;
  #etag: string | undefined;
  #isAnswered = false;

  /** Creates a download of `object`. `wait` pauses between attempts. */
  constructor(object: RemoteObject, wait: (ms: number) => Promise<void> = pause) {
    this.#object = object;
    this.size = object.size;
    this.#wait = wait;
  }

  /**
   * Yields the bytes from the current offset to at least `end`, or to the end of the object. Throws
   * `InputError` if the server refuses the request, and `Error` if the object cannot be read to its
   * end.
   */
  async *read(end = Infinity): AsyncGenerator<Uint8Array> {
    for (let failures = 0; !this.#ended && this.#offset < end;) {
      const before = this.#offset;
      const fault = yield* this.#attempt(end);
      failures = this.#offset > before ? 0 : failures + 1;
      if (fault === undefined) continue;
      const most = this.#isAnswered ? MAX_FAILURES : MAX_UNANSWERED;
      if (failures >= most) throw new Error(this.#describe(fault, most));
      await this.#wait(pauseMs(failures));
    }
  }

  /**
   * Sends one request and yields the bytes of the response. Returns the reason if the transfer was
   * interrupted.
   */
  async *#attempt(end: number): AsyncGenerator<Uint8Array, string | undefined> {
    let response: Response;
    try {
      response = await this.#object.get(this.#headers(end));
    } catch (error) {
      if (error instanceof Deno.errors.NotCapable) throw error;
      return describeFetchFault(error);
    }
    this.#isAnswered = true;
    const fault = await this.#begin(response);
    if (fault !== undefined || this.#ended) return fault;
    // A server that ignores the range starts at the first byte.
    let skipped = response.status === 206 ? 0 : this.#offset;
    const reader = response.body!.getReader();
    try {
      while (this.#offset < end) {
        let next;
        try {
          next = await reader.read();
        } catch (error) {
          return describeFetchFault(error);
        }
        if (next.done) return this.#finish(end);
        const bytes = next.value.subarray(Math.min(skipped, next.value.length));
        skipped -= next.value.length - bytes.length;
        this.#offset += bytes.length;
        if (bytes.length > 0) yield bytes;
      }
      return undefined;
    } finally {
      await reader.cancel().catch(() => {});
    }
  }

  #headers(end: number): Record<string, string> {
    const last = end === Infinity ? "" : end - 1;
    return {
      // Otherwise, `fetch` would decompress the body, and offsets would not match.
      "accept-encoding": "identity",
      ...((this.#offset > 0 || end !== Infinity) && { range: `bytes=${this.#offset}-${last}` }),
      ...(this.#etag !== undefined && { "if-match": this.#etag }),
    };
  }

  /**
   * Checks the status and the headers of a response. Returns the reason if the request must be sent
   * again, otherwise undefined.
   */
  async #begin(response: Response): Promise<string | undefined> {
    const { status, headers } = response;
    const range = /^bytes (?:(\d+)-\d+|\*)\/(\d+|\*)$/.exec(headers.get("content-range") ?? "");
    const isEmpty = status === 416 && range?.[2] === "0";
    if (isEmpty || status === 416 && this.#offset > 0 && this.#offset === this.size) {
      await response.body?.cancel();
      this.#ended = true;
      this.size = this.#offset;
      return undefined;
    }
    if (status !== 200 && status !== 206) {
      const text = await response.text().catch(() => "");
      if (isTemporary(status)) return `the server responded with status ${status}`;
      throw this.#refused(describeStatus(status, text, headers));
    }
    if (status === 206 && range?.[1] !== `${this.#offset}`) {
      await response.body?.cancel();
      throw this.#refused("the server sent a different range than requested");
    }
    const size = status === 206 ? range![2] : headers.get("content-length");
    const known = size === null || size === "*" ? undefined : Number(size);
    if (this.size !== undefined && known !== undefined && known !== this.size) {
      await response.body?.cancel();
      throw this.#refused(
        `it changed while it was being read: it had ${this.size} bytes, but now has ${known}`,
      );
    }
    this.size ??= known;
    const etag = headers.get("etag");
    if (etag?.startsWith('"')) this.#etag ??= etag;
    return undefined;
  }

  /**
   * Handles the end of a response body. Returns a description of the fault if the body ended too
   * early.
   */
  #finish(end: number): string | undefined {
    this.size ??= this.#offset;
    this.#ended = this.#offset >= this.size;
    return this.#offset >= Math.min(end, this.size)
      ? undefined
      : "the connection was closed too early";
  }

  #describe(fault: string, attempts: number): string {
    if (this.#offset === 0) return `${fault}; ${attempts} attempts failed`;
    const size = this.size === undefined ? "" : ` of ${this.size}`;
    return `${fault}; ${this.#offset}${size} bytes were read, and ${attempts} attempts to ` +
      "continue failed";
  }

  #refused(message: string): InputError {
    const { name } = this.#object;
    return new InputError(`cannot read ${name}: ${message}`, { source: name });
  }
}
