import { parseSource } from "../../base/exact_json.ts";
import { contentText } from "../http/content_text.ts";
import { decodeContent } from "../http/content.ts";
import type { CookieJar } from "../http/cookies.ts";
import { newResponse } from "../http/new_response.ts";
import { parseJson } from "../../extract/parse_json.ts";
import type { ResponseView } from "../../extract/response_view.ts";
import type { HttpResponse, Outgoing } from "../sender.ts";

/** The last response of a VU, decoded when somebody asks for it. */
export class ReceivedResponse implements ResponseView {
  readonly reply: HttpResponse = newResponse();
  readonly jar: CookieJar | undefined;
  /** What it answers. */
  request: Outgoing | undefined;
  #text: string | undefined;
  #json: unknown;
  #jsonSource: unknown;
  #html: unknown;

  constructor(jar: CookieJar | undefined) {
    this.jar = jar;
  }

  /** Forgets what was read of the answer before. */
  clear(): void {
    this.#text = undefined;
    this.#json = this.#jsonSource = undefined;
    this.#html = undefined;
  }

  /** Forgets the answer itself: the request could not be sent. */
  empty(): void {
    this.clear();
    this.request = undefined;
    this.reply.status = this.reply.bodySize = 0;
    this.reply.headers = [];
  }

  /** The decoded body as text. Throws ContentError. */
  get text(): string {
    return this.#text ??= contentText(decodeContent(this.reply), this.header("content-type"));
  }

  /** The body's JSON value, its numbers as doubles; undefined if it is not JSON. Throws ContentError. */
  get json(): unknown {
    if (this.#json === undefined) this.#json = parseJson(this.text);
    return this.#json;
  }

  /** The body's JSON value with the text of each number. Throws ContentError, SyntaxError. */
  get jsonSource(): unknown {
    return this.#jsonSource ??= parseSource(this.text);
  }

  /** The body as `parse` reads it; parsed once. Throws ContentError. */
  html<Document>(parse: (text: string) => Document): Document {
    return (this.#html ??= parse(this.text)) as Document;
  }

  /** Header names in lower case and their values, in the order received. */
  get headers(): HttpResponse["headers"] {
    return this.reply.headers;
  }

  /** The value of the jar's cookie that a next request to the same URL would send. */
  storedCookie(name: string): string | undefined {
    const { jar, request } = this;
    return request && jar?.get(name, request.origin, request.target);
  }

  /** The first header of that name (in lower case). */
  header(name: string): string | undefined {
    return this.reply.headers.find(([known]) => known === name)?.[1];
  }

  /** Sending, waiting and receiving, in ms. */
  get durationMs(): number {
    return this.reply.sendingMs + this.reply.waitingMs + this.reply.receivingMs;
  }
}
