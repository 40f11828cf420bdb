import { selectAll } from "css-select";
import type { AnyNode, Element } from "domhandler";
import { textContent } from "domutils";
import { parseDocument } from "htmlparser2";
import type { Handler, Received, Reply } from "./model_app.ts";

/** Headers and body of a request. At most one kind of body is set. */
export interface Outgoing {
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly form?: readonly (readonly [name: string, value: string])[];
  readonly multipart?: readonly (readonly [name: string, value: string])[];
  readonly text?: { readonly type: string; readonly text: string };
}

/** Values that a user enters in the fields of a form, keyed by field name. */
export type Filled = Readonly<Record<string, string>>;

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const CALL_MS = 85;
const PAUSE_MS = 140;

/** A browser with a cookie jar. Records each of its calls as a HAR entry. */
export class Browser {
  readonly entries: unknown[] = [];
  readonly #origin: string;
  readonly #handle: Handler;
  readonly #clock: { now: number };
  readonly #cookies = new Map<string, string>();
  #shown = "";

  constructor(origin: string, handle: Handler, clock: { now: number }) {
    this.#origin = origin;
    this.#handle = handle;
    this.#clock = clock;
  }

  /** Opens a page as if the user had clicked a link, and follows redirects. */
  open(url: string): Page {
    return this.#navigate("GET", url, {});
  }

  /** Submits a form that a script created, and follows redirects. */
  post(url: string, form: Outgoing["form"]): Page {
    return this.#navigate("POST", url, { form });
  }

  /** Submits a form of `page` with its hidden fields, and follows redirects. */
  submit(page: Page, selector: string, filled: Filled = {}): Page {
    const form = page.element(selector);
    const fields = selectAll<AnyNode, Element>("input,textarea", form)
      .filter(({ attribs }) => attribs.name && !["submit", "button"].includes(attribs.type))
      .map(({ attribs }): [string, string] => [attribs.name, attribs.value ?? ""])
      .filter(([name]) => !(name in filled));
    const all = [...fields, ...Object.entries(filled)];
    const url = new URL(form.attribs.action ?? page.url, page.url).href;
    const method = form.attribs.method?.toUpperCase() ?? "GET";
    if (method === "GET") return this.open(`${url}?${new URLSearchParams(all)}`);
    const multipart = form.attribs.enctype === "multipart/form-data";
    return this.#navigate(method, url, multipart ? { multipart: all } : { form: all });
  }

  /** Sends a request as a script does. Does not follow redirects. */
  fetch(method: string, url: string, outgoing: Outgoing = {}): Page {
    return this.#call(method, new URL(url, this.#shown || this.#origin).href, outgoing, {
      "Sec-Fetch-Dest": "empty",
    });
  }

  /** Returns the value of a cookie, or an empty string if the cookie is not set. */
  cookie(name: string): string {
    return this.#cookies.get(name) ?? "";
  }

  #navigate(method: string, url: string, outgoing: Outgoing): Page {
    const absolute = new URL(url, this.#shown || this.#origin).href;
    const referer: Record<string, string> = this.#shown ? { Referer: this.#shown } : {};
    const page = this.#call(method, absolute, outgoing, {
      ...referer,
      "Sec-Fetch-Dest": "document",
    });
    const location = page.header("location");
    if (REDIRECTS.has(page.status) && location !== undefined) {
      const again = page.status >= 307;
      return this.#navigate(
        again ? method : "GET",
        new URL(location, absolute).href,
        again ? outgoing : {},
      );
    }
    this.#shown = page.url;
    return page;
  }

  #call(method: string, url: string, outgoing: Outgoing, standard: Record<string, string>): Page {
    const body = bodyOf(outgoing);
    const jar = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers: Record<string, string> = {
      ...standard,
      ...(jar && { Cookie: jar }),
      ...(body && { "Content-Type": body.type }),
      ...outgoing.headers,
    };
    this.#clock.now += PAUSE_MS;
    const started = this.#clock.now;
    const reply = this.#handle(
      received(method, url, headers, body?.text ?? "", outgoing, this.#cookies),
    );
    this.#clock.now += CALL_MS;
    for (const cookie of reply.cookies ?? []) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
      this.#cookies.set(name, value);
    }
    this.entries.push(entry({ method, url, headers, body, started, reply }));
    return new Page(url, reply);
  }
}

/** A response, with access to its content. */
export class Page {
  readonly url: string;
  readonly status: number;
  readonly body: string;
  readonly #reply: Reply;

  constructor(url: string, reply: Reply) {
    this.url = url;
    this.status = reply.status ?? 200;
    this.body = reply.body ?? "";
    this.#reply = reply;
  }

  /** The parsed JSON body. */
  // deno-lint-ignore no-explicit-any -- the shape depends on the application
  get json(): any {
    return JSON.parse(this.body);
  }

  header(name: string): string | undefined {
    const { headers = {} } = this.#reply;
    return Object.entries(headers).find(([one]) => one.toLowerCase() === name)?.[1];
  }

  /** Returns the first element that matches `selector`. Throws Error if no element matches. */
  element(selector: string): Element {
    const [first] = selectAll<AnyNode, Element>(selector, parseDocument(this.body));
    if (first === undefined) throw new Error(`no ${selector} at ${this.url}`);
    return first;
  }

  /**
   * Returns an attribute of the first element that matches `selector`. Throws Error if no element
   * matches.
   */
  attribute(selector: string, name: string): string {
    return this.element(selector).attribs[name];
  }

  /** Returns the target of the link with this text. Throws Error if no link has it. */
  link(text: string): string {
    const links = selectAll<AnyNode, Element>("a", parseDocument(this.body));
    const link = links.find((one) => textContent(one) === text);
    if (link === undefined) throw new Error(`no link "${text}" at ${this.url}`);
    return link.attribs.href;
  }

  /**
   * Returns what the first capturing group of `pattern` matches in the body. Throws Error if the
   * pattern does not match.
   */
  match(pattern: RegExp): string {
    const match = pattern.exec(this.body);
    if (match === null) throw new Error(`no ${pattern} at ${this.url}`);
    return match[1];
  }
}

interface Body {
  readonly type: string;
  readonly text: string;
}

function bodyOf({ json, form, multipart, text }: Outgoing): Body | undefined {
  if (json !== undefined) return { type: "application/json", text: JSON.stringify(json) };
  if (form) {
    const pairs = form.map(([name, value]) => [name, value]);
    return {
      type: "application/x-www-form-urlencoded",
      text: new URLSearchParams(pairs).toString(),
    };
  }
  if (!multipart) return text;
  const boundary = "----WebKitFormBoundary7MA4YWxkTrZu0gW";
  const parts = multipart.map(([name, value]) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  );
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    text: `${parts.join("")}--${boundary}--\r\n`,
  };
}

function received(
  method: string,
  url: string,
  headers: Record<string, string>,
  text: string,
  { json, form = [], multipart = [] }: Outgoing,
  cookies: ReadonlyMap<string, string>,
): Received {
  const { pathname, searchParams } = new URL(url);
  return {
    method,
    path: pathname,
    query: searchParams,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
    ),
    cookies: Object.fromEntries(cookies),
    form: new URLSearchParams([...form, ...multipart].map(([name, value]) => [name, value])),
    json: json === undefined ? undefined : JSON.parse(text),
    text,
  };
}

interface Call {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: Body | undefined;
  readonly started: number;
  readonly reply: Reply;
}

function entry({ method, url, headers, body, started, reply }: Call) {
  const { status = 200, type, body: text = "", cookies = [] } = reply;
  const date = new Date(started).toUTCString();
  const sent = { "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Chrome/142.0", ...headers };
  return {
    startedDateTime: new Date(started).toISOString(),
    time: CALL_MS,
    request: {
      method,
      url,
      httpVersion: "HTTP/1.1",
      headers: pairs(Object.entries(sent)),
      queryString: pairs([...new URL(url).searchParams]),
      cookies: [],
      headersSize: -1,
      bodySize: body?.text.length ?? 0,
      ...(body && { postData: { mimeType: body.type, text: body.text } }),
    },
    response: {
      status,
      statusText: "",
      httpVersion: "HTTP/1.1",
      headers: pairs([
        ["Date", date],
        ...(type ? [["Content-Type", type]] : []),
        ...Object.entries(reply.headers ?? {}),
        ...cookies.map((cookie) => ["Set-Cookie", cookie]),
      ]),
      cookies: [],
      content: { size: text.length, mimeType: type ?? "", ...(text && { text }) },
      redirectURL: reply.headers?.Location ?? "",
      headersSize: -1,
      bodySize: text.length,
    },
  };
}

function pairs(all: readonly (readonly string[])[]) {
  return all.map(([name, value]) => ({ name, value }));
}
