import { assertEquals } from "@std/assert";
import fc, { ANY_CHARACTER } from "fast-check";
import { gzipSync } from "node:zlib";
import { convertHar, type HarConversion } from "../../../src/convert/from_har.ts";
import type { HarOptions } from "../../../src/convert/har/facts.ts";
import { loadPlan } from "../../../src/plan/load_plan.ts";
import { printPlan } from "../../../src/plan/print.ts";
import { readHar } from "../../../src/traffic/har/read_har.ts";
import { runInVirtualTime } from "../../support/run_in_virtual_time.ts";

/** A request as it was on the wire. */
export interface WireRequest {
  readonly target: string;
  readonly contentType: string | undefined;
  readonly coding: string | undefined;
  /** Body with one character per byte. */
  readonly body: string;
}

/**
 * Converts a HAR, runs the plan once, and returns the requests that it sends. `response` is the
 * JSON of all responses.
 */
export async function sentRequests(har: string, response: unknown = {}): Promise<WireRequest[]> {
  const { plan, header } = await converted(har);
  const loaded = loadPlan(printPlan(plan, header));
  assertEquals(loaded.diagnostics, []);
  const { sent } = await runInVirtualTime(loaded.plan!, {
    respond: () => ({ body: JSON.stringify(response) }),
  });
  return sent.map(({ target, headers, request: { body } }) => ({
    target,
    contentType: headers["content-type"],
    coding: headers["content-encoding"],
    body: charsOf(body ?? new Uint8Array()),
  }));
}

/** Converts a HAR to a plan and notes. */
export async function converted(har: string, options: HarOptions = {}): Promise<HarConversion> {
  return convertHar(await readHar([new TextEncoder().encode(har)], "session.har"), options);
}

/** Returns a HAR with the given requests, in JSON. Each of them gets the status 200. */
export function harOf(requests: readonly Record<string, unknown>[]): string {
  const entries = requests.map((request, i) => ({
    startedDateTime: new Date(i * 1_000).toISOString(),
    time: 5,
    request: { method: "POST", url: "http://a.example/", headers: [], ...request },
    response: {
      status: 200,
      headers: [],
      content: { size: 2, mimeType: "application/json", text: "{}" },
    },
  }));
  return JSON.stringify({ log: { entries } });
}

function charsOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}

function bytesOf(chars: string): Uint8Array {
  return Uint8Array.from(chars, (char) => char.charCodeAt(0));
}

function utf8(text: string): string {
  return charsOf(new TextEncoder().encode(text));
}

const PIECES = ["a", "Z", "7", "=", "&", "%", "+", "%41", "%zz", "%C3%A9", "%E9", "${", "$", "}"];
const ODD = ["[", "]", "{", "|", "\\", "^", "`", "'", '"', "<", ">", "/", ".", "..", ";", ",", ":"];
const pieces = fc.array(
  fc.oneof(
    fc.constantFrom(...PIECES, ...ODD),
    fc.constantFrom("~", "!", "*", "(", ")", "@", "?", " ", "é", "\u{1F375}", "${vars.id}"),
  ),
  { maxLength: 8 },
).map((all) => all.join(""));

/** Generates URLs as a browser's URL parser returns them. */
const url = fc.tuple(pieces, fc.option(pieces)).map(([path, query]) =>
  new URL(`http://a.example/${path.replace(/[?#]/g, "")}${query === null ? "" : `?${query}`}`).href
);

const json = fc.json().chain((text) =>
  fc.constantFrom(
    text,
    ` ${text}\n`,
    text.replaceAll("a", "\\u0061"),
    text.replaceAll("/", "\\/"),
    `{"a":${text},"1":1.0,"b":1e2,"a":-0}`,
    `[${text}, 12345678901234567890 ,\t"\u00e9${"$"}{vars.id}"]`,
  )
);
const form = fc.array(
  fc.constantFrom(...PIECES, "~", "'", "*", "%2f", "é", ";", "{", " ", "%u4F60"),
  { maxLength: 10 },
).map((all) => all.join(""));
const bytes = fc.uint8Array({ maxLength: 24 }).map(charsOf);
const text = fc.tuple(
  fc.constantFrom("", "\ufeff"),
  fc.string({ unit: ANY_CHARACTER, maxLength: 12 }),
)
  .map(([mark, text]) => utf8(mark + text.toWellFormed()));

const HEADS = [
  'Content-Disposition: form-data; name="a"',
  'Content-Disposition: form-data; name="é"; filename="x.bin"\r\nContent-Type: image/png',
  'Content-Disposition: form-data; name="a%22b"\r\nContent-Type: text/plain; charset=utf-8',
  'Content-Disposition: form-data; name="f"; filename="x"',
  "content-disposition: form-data; name=b",
  'Content-Disposition: form-data; name="c"\r\nContent-Transfer-Encoding: binary',
];
const multipart = fc.array(fc.tuple(fc.constantFrom(...HEADS), fc.oneof(bytes, text)), {
  minLength: 1,
  maxLength: 3,
}).map((parts) =>
  parts.map(([head, content]) => `--B1\r\n${utf8(head)}\r\n\r\n${content}\r\n`).join("") +
  "--B1--\r\n"
);

const FORM = "application/x-www-form-urlencoded";
const MULTIPART = "multipart/form-data; boundary=B1";
const TYPES = [
  FORM,
  `${FORM}; charset=UTF-8`,
  "application/json",
  "text/plain",
  "text/plain;charset=UTF-8",
  "application/octet-stream",
  MULTIPART,
  "application/xml",
  undefined,
];

/** Generates a body and its media type. The type does not always fit. */
const body = fc.oneof(
  fc.tuple(json.map(utf8), fc.constantFrom("application/json", FORM, undefined)),
  fc.tuple(form.map(utf8), fc.constantFrom(FORM, `${FORM}; charset=UTF-8`)),
  fc.tuple(multipart, fc.constantFrom(MULTIPART)),
  fc.tuple(fc.oneof(bytes, text, form.map(utf8), json.map(utf8)), fc.constantFrom(...TYPES)),
).filter(([body]) => body !== "");

/** Generates a request on the wire, and how a recorder stores its body. */
export const wireCall = fc.record({
  url,
  content: body,
  coding: fc.constantFrom(undefined, undefined, "gzip"),
  stores: fc.constantFrom("base64", "text", "bytes as characters", "surrogates"),
  isTypeInHeader: fc.boolean(),
  size: fc.constantFrom("Content-Length", "bodySize"),
});
export type WireCall = typeof wireCall extends fc.Arbitrary<infer T> ? T : never;

/** Returns the request on the wire. */
export function onWire({ url, content: [body, contentType], coding }: WireCall): WireRequest {
  const { href } = new URL(url);
  return {
    target: href.slice("http://a.example".length),
    contentType,
    coding,
    body: coding === undefined ? body : charsOf(gzipSync(bytesOf(body))),
  };
}

/** Returns the request as the recorder stores it in a HAR. */
export function recorded(call: WireCall): Record<string, unknown> {
  const { contentType, coding, body } = onWire(call);
  const inHeader = call.isTypeInHeader && contentType !== undefined;
  return {
    url: call.url,
    headers: [
      ...inHeader ? [{ name: "Content-Type", value: contentType }] : [],
      ...coding ? [{ name: "Content-Encoding", value: coding }] : [],
      ...call.size === "bodySize" ? [] : [{ name: "Content-Length", value: String(body.length) }],
    ],
    bodySize: call.size === "bodySize" ? body.length : -1,
    postData: {
      mimeType: inHeader ? "application/octet-stream" : contentType,
      ...call.stores === "base64" ? { text: btoa(body), encoding: "base64" } : {
        text: call.stores === "text"
          ? decoded(body) ?? body
          : call.stores === "surrogates"
          ? escaped(body)
          : body,
      },
    },
  };
}

function decoded(body: string): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytesOf(body));
  } catch {
    return undefined;
  }
}

/** Decodes UTF-8 as mitmproxy does: each other byte becomes a lone surrogate. */
function escaped(body: string): string {
  let text = "";
  for (let at = 0; at < body.length;) {
    const size = [1, 2, 3, 4].find((size) => decoded(body.slice(at, at + size)) !== undefined);
    text += size === undefined
      ? String.fromCharCode(0xdc00 + body.charCodeAt(at))
      : decoded(body.slice(at, at + size));
    at += size ?? 1;
  }
  return text;
}

/**
 * Returns a request in a form that is equal for requests that mean the same: without the white
 * space in JSON, and with the parts of a multipart body.
 */
export function meaning({ target, contentType, coding, body }: WireRequest, isTyped: boolean) {
  const type = /^[^;]*/.exec(contentType ?? "")![0];
  const text = decoded(body);
  const whole = { target, coding, ...(isTyped && { type }) };
  if (coding === undefined && type === "multipart/form-data") {
    return { ...whole, parts: partsOf(body, /boundary=(.*)/.exec(contentType!)![1]) };
  }
  const isJson = coding === undefined && text !== undefined &&
    (type === "application/json" || !isTyped && /^\s*[[{]/.test(text));
  return { ...whole, body: isJson ? compact(body) : body };
}

/** Removes the white space between the tokens of JSON. Keeps other text. */
function compact(body: string): string {
  try {
    JSON.parse(decoded(body)!);
  } catch {
    return body;
  }
  return body.replace(/("(?:[^"\\]|\\.)*")|\s+/gs, "$1");
}

function partsOf(body: string, boundary: string): string[] {
  const pieces = `\r\n${body}`.split(`\r\n--${boundary}`);
  // Not a multipart body.
  return pieces.length < 3 || pieces[0] !== "" ? [body] : pieces.slice(1, -1);
}
