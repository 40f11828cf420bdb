import type { OptionalSource } from "../../src/correlation/source_kinds.ts";
import type { Label, Use } from "./label.ts";
import { inJson, inText, inUrl, type Json, type Placed, plainJson } from "./places.ts";
import { Random } from "./random.ts";
import { type Text, type Truth, Value, written } from "./value.ts";

/** A body that is not JSON. */
export interface Content {
  readonly type: string;
  readonly text: string;
}

/** Returns an HTML page. */
export function html(text: string): Content {
  return { type: "text/html; charset=utf-8", text };
}

/** Headers and body of a request. */
export interface Sent {
  readonly headers?: Readonly<Record<string, Text>>;
  readonly json?: Json;
  readonly form?: readonly (readonly [name: string, value: Text])[];
  /** Fields of a multipart form. */
  readonly parts?: readonly (readonly [name: string, value: Text])[];
  readonly content?: { readonly type: string; readonly text: Text };
  /** Labelled values that occur in names of fields or members. */
  readonly names?: readonly Value[];
}

/** A response to record, in which values may be labelled. */
export interface SentResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: Json;
  /**
   * Unusual form in which the JSON is recorded: with a different media type, with escapes, or in
   * base64.
   */
  readonly recorded?: { readonly type?: string; readonly escaped?: true; readonly base64?: true };
  readonly content?: Content;
}

/** Timing of a call, in milliseconds. */
export interface Timing {
  /**
   * Time in ms from the end of the previous call to the start of this one. Negative if the calls
   * overlap.
   */
  readonly after?: number;
  readonly takes?: number;
}

/** An HTTP Archive. */
export interface Har {
  readonly log: {
    readonly version: string;
    readonly creator: { readonly name: string; readonly version: string };
    readonly entries: readonly unknown[];
  };
}

/** Records calls in the form that a browser exports, and labels their values. */
export class Recorder extends Random {
  readonly origin: string;
  readonly #entries: unknown[] = [];
  readonly #values: Value[] = [];
  readonly #producers = new Map<Truth, { entry: number; paths: string[] }>();
  readonly #uses = new Map<Truth, Use[]>();
  #backwards = false;
  #clock = Date.UTC(2026, 0, 15, 9, 30);

  constructor(seed: string, origin: string) {
    super(seed);
    this.origin = origin;
  }

  /** Creates a value that later requests must extract from the first response that contains it. */
  live(json: string | number, why: string): Value {
    return this.#value(new Value(json, { correlate: true, why }));
  }

  /** Creates a value that looks dynamic, but that the plan must send unchanged. */
  fixed(json: string | number, why: string): Value {
    return this.#value(new Value(json, { correlate: false, why }));
  }

  /** Creates a value that is correlated only if `--correlate` includes the source `option`. */
  optional(option: OptionalSource, json: string, why: string): Value {
    return this.#value(new Value(json, { correlate: false, option, why }));
  }

  #value(value: Value): Value {
    this.#values.push(value);
    return value;
  }

  get(url: Text, sent: Sent, response: SentResponse, timing?: Timing): void {
    this.call("GET", url, sent, response, timing);
  }

  post(url: Text, sent: Sent, response: SentResponse, timing?: Timing): void {
    this.call("POST", url, sent, response, timing);
  }

  /** Records one call. A URL that starts with `/` is relative to the origin of the recording. */
  call(method: string, url: Text, sent: Sent, response: SentResponse, timing: Timing = {}): void {
    const { after = 140, takes = 85 } = timing;
    const start = this.#clock + after;
    this.#clock = start + takes;
    const entry = this.#entries.length;
    for (const placed of valuesSent(url, sent)) this.#use(entry, placed);
    for (const placed of inJson(response.json ?? null)) this.#findWhole(entry, placed);
    this.#findOptional(entry, response);
    const absolute = written(url).replace(/^\//, `${this.origin}/`);
    this.#entries.push({
      startedDateTime: new Date(start).toISOString(),
      time: takes,
      request: recordedRequest(method, absolute, sent),
      response: recordedResponse(response),
      cache: {},
      timings: { send: 1, wait: takes - 2, receive: 1 },
    });
  }

  #use(entry: number, { value: { text, truth }, where }: Placed): void {
    if (!truth.correlate && truth.option === undefined) return;
    if (!this.#producers.has(truth)) throw new Error(`${text} is sent before it is received`);
    const uses = this.#uses.get(truth) ?? [];
    if (!uses.some((use) => use.entry === entry && use.where === where)) {
      uses.push({ entry, where });
    }
    this.#uses.set(truth, uses);
  }

  #findWhole(entry: number, { value: { truth }, where, whole }: Placed): void {
    if (!whole) return;
    const producer = this.#producers.get(truth);
    if (producer === undefined) this.#producers.set(truth, { entry, paths: [where] });
    else if (producer.entry === entry) producer.paths.push(where);
  }

  /**
   * Searches a response for the values that are correlated only with `--correlate`, in these parts:
   * headers, a body that is not JSON, and JSON strings that contain more than the value, such as
   * links, and names of JSON members. Records the first response that contains a value as its
   * producer.
   */
  #findOptional(entry: number, { headers = {}, content, json = null }: SentResponse): void {
    const body = JSON.stringify(plainJson(json));
    const plain = [...Object.values(headers), content?.text ?? "", body].join("\n");
    for (const { text, truth } of this.#values) {
      if (truth.option === undefined || this.#producers.has(truth)) continue;
      if (plain.includes(text)) this.#producers.set(truth, { entry, paths: [] });
    }
  }

  /**
   * Reverses the order of the entries in the HAR, because not all recorders keep the order of
   * calls.
   */
  backwards(): void {
    this.#backwards = true;
  }

  #indexOf(entry: number): number {
    return this.#backwards ? this.#entries.length - 1 - entry : entry;
  }

  /** Returns the HAR of the calls so far. */
  har(creator: string): Har {
    const [name, version] = creator.split("/");
    const entries = this.#entries.map((_, i) => this.#entries[this.#indexOf(i)]);
    return { log: { version: "1.2", creator: { name, version }, entries } };
  }

  /** Returns the labels of all values, in the order in which the values were created. */
  labels(): Label[] {
    return this.#values.map(({ json, truth }) => {
      const producer = this.#producers.get(truth);
      return {
        value: json,
        ...truth,
        ...(producer && { producer: this.#indexOf(producer.entry), paths: producer.paths }),
        uses: (this.#uses.get(truth) ?? []).map(({ entry, where }) => (
          { entry: this.#indexOf(entry), where }
        )),
      };
    });
  }
}

function valuesSent(url: Text, sent: Sent): Placed[] {
  const { headers = {}, json = null, form = [], parts = [], content, names = [] } = sent;
  return [
    ...inUrl(url),
    ...Object.entries(headers).flatMap(([name, value]) =>
      inText(value, `header:${name.toLowerCase()}`)
    ),
    ...inJson(json).map((placed) => ({ ...placed, where: `json:${placed.where}` })),
    ...[...form, ...parts].flatMap(([name, value]) => inText(value, `form:${name}`)),
    ...(content ? inText(content.text, "text") : []),
    ...names.map((value) => ({ value, where: "name", whole: true })),
  ];
}

function recordedRequest(method: string, url: string, sent: Sent) {
  const content = contentSent(sent);
  const headers = Object.entries(sent.headers ?? {}).map(([name, value]) => [name, written(value)]);
  const standard = [
    ["Host", new URL(url).host],
    ["User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0"],
    ["Accept", "*/*"],
    ...(content ? [["Content-Type", content.type]] : []),
  ];
  return {
    method,
    url,
    httpVersion: "HTTP/1.1",
    headers: nameValues([...standard, ...headers]),
    queryString: [...new URL(url).searchParams].map(([name, value]) => ({ name, value })),
    cookies: [],
    headersSize: -1,
    bodySize: content?.text.length ?? 0,
    ...(content && { postData: { mimeType: content.type, text: content.text } }),
  };
}

function contentSent({ json, form, parts, content }: Sent): Content | undefined {
  if (json !== undefined) {
    return { type: "application/json", text: JSON.stringify(plainJson(json)) };
  }
  if (content !== undefined) return { type: content.type, text: written(content.text) };
  if (parts !== undefined) return multipart(parts);
  if (form === undefined) return undefined;
  const fields = form.map(([name, value]) => [name, written(value)]);
  return {
    type: "application/x-www-form-urlencoded",
    text: new URLSearchParams(fields).toString(),
  };
}

function multipart(parts: readonly (readonly [name: string, value: Text])[]): Content {
  const boundary = "----geckoformboundary7f3a";
  const pieces = parts.map(([name, value]) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${written(value)}\r\n`
  );
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    text: `${pieces.join("")}--${boundary}--\r\n`,
  };
}

function recordedResponse(response: SentResponse) {
  const { status = 200, headers = {}, recorded: { base64 } = {} } = response;
  const { type, text } = contentReceived(response);
  const content = base64
    ? { text: new TextEncoder().encode(text).toBase64(), encoding: "base64" }
    : text && { text };
  return {
    status,
    statusText: "",
    httpVersion: "HTTP/1.1",
    headers: nameValues([...(type ? [["Content-Type", type]] : []), ...Object.entries(headers)]),
    cookies: [],
    content: { size: text.length, mimeType: type, ...content },
    redirectURL: headers.Location ?? "",
    headersSize: -1,
    bodySize: text.length,
  };
}

function contentReceived({ json, recorded = {}, content }: SentResponse): Content {
  if (json === undefined) return content ?? { type: "", text: "" };
  const { type = "application/json; charset=utf-8", escaped } = recorded;
  const text = JSON.stringify(plainJson(json));
  return { type, text: escaped ? text.replace(/[-/+]/g, escapeChar) : text };
}

/** Returns the JSON escape sequence of a character, such as `\u002f` for `/`. */
function escapeChar(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function nameValues(pairs: readonly (readonly string[])[]) {
  return pairs.map(([name, value]) => ({ name, value }));
}
