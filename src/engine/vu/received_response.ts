import { parseSource } from "../../base/exact_json.ts";
import { parseJson, type ResponseView } from "../../extract/response_view.ts";
import { contentText, decodeContent } from "../../http/content.ts";
import type { CookieJar } from "../../http/cookies.ts";
import {
  clearResponse,
  HttpResponse,
  type Outgoing,
  type SocketMessage,
} from "../../http/sender.ts";

/** Last response that a VU received. Each part is decoded when it is first read. */
export class ReceivedResponse implements ResponseView {
  readonly response: HttpResponse = new HttpResponse();
  readonly #jar: CookieJar | undefined;
  #request: Outgoing | undefined;
  #text: string | undefined;
  /** Finds the JSON in the text of a message. Undefined if the response is not a message. */
  #jsonOf: ((text: string) => string) | undefined;
  #json: unknown;
  #jsonSource: unknown;
  #html: unknown;

  constructor(jar: CookieJar | undefined) {
    this.#jar = jar;
  }

  /** Discards what was decoded. Call it before `response` receives the one to `request`. */
  expect(request: Outgoing | undefined): void {
    this.#request = request;
    this.#text = undefined;
    this.#jsonOf = undefined;
    this.#json = this.#jsonSource = undefined;
    this.#html = undefined;
  }

  /**
   * Replaces the response with a WebSocket message. The response then has the status 101 and no
   * headers. `size` is the size of the message in bytes. `jsonOf` returns the JSON text in a
   * message, without the frame that a protocol such as Socket.IO adds.
   */
  replaceByMessage(message: SocketMessage, size: number, jsonOf: (text: string) => string): void {
    this.expect(undefined);
    this.#jsonOf = jsonOf;
    clearResponse(this.response, this.response.startedAt);
    this.response.status = 101;
    this.response.bodySize = size;
    if (typeof message === "string") this.#text = message;
    else this.response.body = message;
  }

  replaceText(text: string): void {
    this.expect(this.#request);
    this.#text = text;
  }

  discard(): void {
    this.expect(undefined);
    this.response.status = this.response.bodySize = 0;
    this.response.headers = [];
  }

  get text(): string {
    return this.#text ??= contentText(decodeContent(this.response), this.header("content-type"));
  }

  /** JSON value of the body, or undefined if it is not JSON. */
  get json(): unknown {
    if (this.#json === undefined) this.#json = parseJson(this.#jsonText());
    return this.#json;
  }

  /** JSON value of the body, with each number as text. Throws if it is not JSON. */
  get jsonSource(): unknown {
    return this.#jsonSource ??= parseSource(this.#jsonText());
  }

  #jsonText(): string {
    return this.#jsonOf === undefined ? this.text : this.#jsonOf(this.text);
  }

  /** Returns the parsed body. Parses it only once. */
  html<Document>(parse: (text: string) => Document): Document {
    return (this.#html ??= parse(this.text)) as Document;
  }

  get request(): Outgoing | undefined {
    return this.#request;
  }

  get headers(): HttpResponse["headers"] {
    return this.response.headers;
  }

  /** Returns the value of a cookie that another request to the URL would send. */
  storedCookie(name: string): string | undefined {
    const request = this.#request;
    return request && this.#jar?.get(name, request.origin, request.target);
  }

  header(name: string): string | undefined {
    return this.response.headers.find(([known]) => known === name)?.[1];
  }

  /** Duration of sending, waiting and receiving in ms, as in `http_req_duration`. */
  get durationMs(): number {
    return this.response.sendingMs + this.response.waitingMs + this.response.receivingMs;
  }
}

/** Adds cookies from a VU's cookie jar to its requests, and stores the cookies of its responses. */
export class JarCookies {
  readonly #jar: CookieJar | undefined;
  /** Results of `addToConstant`, which are valid for one version of the jar. */
  readonly #cache = new Map<Outgoing, { version: number; outgoing: Outgoing }>();

  /** Wraps a cookie jar. Without a jar, requests stay unchanged and no cookies are stored. */
  constructor(jar: CookieJar | undefined) {
    this.#jar = jar;
  }

  /** Returns the request with the cookies of the plan and those of the jar. */
  addTo(request: Outgoing): Outgoing {
    const jar = this.#jar;
    const cookies = jar?.version ? jar.header(request.origin, request.target) : undefined;
    return cookies === undefined ? request : addCookies(request, cookies);
  }

  /** Like `addTo`, but returns the same object until the jar changes. Only for constants. */
  addToConstant(request: Outgoing): Outgoing {
    const jar = this.#jar;
    if (!jar || jar.version === 0) return request;
    const cached = this.#cache.get(request);
    if (cached?.version === jar.version) return cached.outgoing;
    const outgoing = this.addTo(request);
    this.#cache.set(request, { version: jar.version, outgoing });
    return outgoing;
  }

  store({ origin, target }: Outgoing, { headers }: HttpResponse): void {
    const jar = this.#jar;
    if (!jar || headers.length === 0) return;
    for (const [name, value] of headers) {
      if (name === "set-cookie") jar.store(origin, target, value);
    }
  }
}

function addCookies(request: Outgoing, cookies: string): Outgoing {
  const isCookie = ([name]: readonly [string, string]) => name.toLowerCase() === "cookie";
  const own = request.headers.filter(isCookie).map(([, value]) => value);
  return {
    ...request,
    encoded: undefined,
    headers: [
      ...request.headers.filter((header) => !isCookie(header)),
      ["Cookie", [...own, cookies].join("; ")],
    ],
  };
}
