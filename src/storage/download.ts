import type { Chunks } from "../base/bytes/byte_source.ts";
import { InputError, systemMessage } from "../base/errors.ts";

/** Counts consecutive failed requests, and pauses before each further attempt. */
export class Retries {
  hasResponded = false;
  readonly #wait: (ms: number) => Promise<void>;
  #failures = 0;

  constructor(wait: (ms: number) => Promise<void> = pause) {
    this.#wait = wait;
  }

  /**
   * Waits, twice as long after each failure. Returns the number of failures if there must be no
   * further attempt: 5, or 2 if the server never responded. One after content counts as the first.
   */
  async next(hasProgress = false): Promise<number | undefined> {
    this.#failures = hasProgress ? 0 : this.#failures + 1;
    if (this.#failures >= (this.hasResponded ? 5 : 2)) return this.#failures;
    await this.#wait(200 * 2 ** this.#failures);
    return undefined;
  }
}

export interface RemoteObject {
  /** The URL without credentials. */
  readonly name: string;
  /** Size in bytes, if a listing contained it. */
  readonly size?: number;
  get(headers: Readonly<Record<string, string>>): Promise<Response>;
}

/** Resumes after a lost connection. Reports an object that changes meanwhile or is too short. */
export class Download {
  /** Undefined until a listing or a response specifies it. */
  size: number | undefined;
  readonly #object: RemoteObject;
  readonly #retries: Retries;
  #offset = 0;
  #ended = false;
  #etag: string | undefined;

  /** `wait` pauses between attempts. */
  constructor(object: RemoteObject, wait?: (ms: number) => Promise<void>) {
    this.#object = object;
    this.size = object.size;
    this.#retries = new Retries(wait);
  }

  /** Yields the bytes up to `end`, perhaps more. Throws `InputError` if the server refuses. */
  async *read(end = Infinity): AsyncGenerator<Uint8Array> {
    while (!this.#ended && this.#offset < end) {
      const before = this.#offset;
      const fault = yield* this.#attempt(end);
      if (fault === undefined) continue;
      const attempts = await this.#retries.next(this.#offset > before);
      if (attempts !== undefined) throw new Error(this.#describe(fault, attempts));
    }
  }

  /** Returns the reason if the transfer was interrupted. */
  async *#attempt(end: number): AsyncGenerator<Uint8Array, string | undefined> {
    let response: Response;
    try {
      response = await this.#object.get(this.#headers(end));
    } catch (error) {
      if (error instanceof Deno.errors.NotCapable) throw error;
      return describeFetchFault(error);
    }
    this.#retries.hasResponded = true;
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

  /** Returns the reason if the request must be sent again. */
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

/** Requested separately, so that no connection stays open while other objects are being read. */
const FIRST_BYTES = 64 * 1024;
const MAX_KEPT_BYTES = 32 * 1024 * 1024;

/** A remote object that can be downloaded in advance, while others are being read. */
export class ReadAhead implements Chunks {
  readonly #download: Download;
  readonly #onRead: () => void;
  readonly #closing = new AbortController();
  #rest: ReadableStream<Uint8Array> | undefined;

  /** `onRead` is called at a read beyond the first 64 KiB, or at the first after `start`. */
  constructor(download: Download, onRead: () => void) {
    this.#download = download;
    this.#onRead = onRead;
  }

  /** Downloads a limited number of bytes ahead of the reader. */
  start(): ReadableStream<Uint8Array> {
    const buffer = new ByteLengthQueuingStrategy({ highWaterMark: MAX_KEPT_BYTES });
    return this.#rest ??= ReadableStream.from(this.#download.read())
      .pipeThrough(new TransformStream<Uint8Array, Uint8Array>({}, undefined, buffer), {
        signal: this.#closing.signal,
      });
  }

  close(): void {
    this.#closing.abort();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    if (this.#rest === undefined) yield* await Array.fromAsync(this.#download.read(FIRST_BYTES));
    const rest = this.start();
    this.#onRead();
    yield* rest;
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Reports whether a request that failed with this status may succeed later. */
export function isTemporary(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** `text` is the body of the response. S3 sends XML with a `Code` element. */
export function describeStatus(status: number, text: string, headers: Headers): string {
  const code = /<Code>(\w{1,64})<\/Code>/.exec(text)?.[1];
  const shown = code === undefined ? `status ${status}` : `status ${status}, ${code}`;
  const region = headers.get("x-amz-bucket-region");
  if (region !== null && /^[\w-]{1,40}$/.test(region) && (status === 301 || status === 400)) {
    return `the bucket is in another region (${shown}); set AWS_REGION=${region}`;
  }
  if (status === 404) return `the server has no such object (${shown})`;
  if (status === 412) return `it changed while it was being read (${shown})`;
  if (status === 401 || status === 403) {
    return `the server denies access (${shown}); check the credentials and their permissions`;
  }
  return `the server responded with ${shown}`;
}

/** Omits the URL, which may be secret. */
export function describeFetchFault(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const text = systemMessage(cause).replace(
    /^error sending request[^]*?: (?:client error \(\w+\): )?|tcp connect error: /g,
    "",
  );
  if (/dns error/.test(text)) return "DNS cannot resolve the host name";
  return text.replace(/^Connection/, "connection");
}
