import fc from "fast-check";
import { encodeForm } from "../../../src/http/encode_body.ts";
import type { Exchange, RequestBody } from "../../../src/traffic/har/recording.ts";

const TOKENS = [
  "6f1c0a52-93de-4c55-a3f0-1d0a8a1f9f10",
  "eyJhbGciOiJub25lIn0.eyJzdWIiOiI0MiJ9.c2ln",
  "0123456789abcdef",
  "a/b+c==42",
  "tok-12345",
  "tok-12345-67890",
  "73001",
  "12345678",
  "42",
  "x$y12345678",
  ...Array.from({ length: 12 }, (_, i) => `sess-${i}-${"abcdefghijkl"[i].repeat(9)}`),
  ...Array.from({ length: 6 }, (_, i) => String(i * 12_347 + 500)),
];
const HOSTILE = [
  ...["${env.HOME}", "$${x}", "${", "$", "}", "ü\u0000\n", "'\"", "%2f", "=", "<<", "no", ""],
];
const KEYS = [
  ...["token", "id", "user_id", "ids", "state", "name", "a b", "it's", "${k}", "data", "count"],
];

const atom = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...TOKENS) },
  { weight: 2, arbitrary: fc.constantFrom(...HOSTILE) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 6 }) },
);
/** Generates a value, or several values with text between them. */
const text = fc.oneof(
  { weight: 3, arbitrary: atom },
  {
    weight: 1,
    arbitrary: fc.array(fc.oneof(atom, fc.constantFrom(" ", "-", "/", "$")), { maxLength: 5 }).map((
      a,
    ) => a.join("")),
  },
);
const key = fc.constantFrom(...KEYS);
const number = fc.constantFrom(73001, 12345678, 42, 7, -3, 1.5);
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.oneof(text, number, fc.constant(null), fc.boolean()),
    fc.array(tie("json"), { maxLength: 4 }),
    fc.dictionary(key, tie("json"), { maxKeys: 4 }),
  ),
}));

const encoded = fc.tuple(text, fc.boolean()).map(([value, lower]) => {
  const escaped = encodeURIComponent(value.toWellFormed());
  return lower ? escaped.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()) : escaped;
});
const path = fc.array(encoded, { maxLength: 4 }).map((segments) => "/" + segments.join("/"));
const query = fc.array(fc.tuple(key.map(encodeURIComponent), encoded), { maxLength: 3 })
  .map((pairs) => pairs.length === 0 ? "" : "?" + pairs.map((pair) => pair.join("=")).join("&"));
const origin = fc.constantFrom(
  "https://app.example",
  "https://app.example",
  "http://other.example:8080",
);
const url = fc.tuple(origin, path, query).map((parts) => parts.join(""));

const fields = (name: fc.Arbitrary<string>) =>
  fc.array(fc.record({ name, value: text }), { maxLength: 3 });
// `from_har_test.ts` covers other headers.
const sendable = text.map((value) => value.replace(/[\r\n\0]/g, ""));
const headers = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom("Authorization", "X-Token", "X-Id", "Accept", "Cookie", "Host", ":path"),
    value: fc.oneof(sendable, sendable.map((value) => `Bearer ${value}`)),
  }),
  { maxLength: 4, selector: ({ name }) => name },
);

const body: fc.Arbitrary<RequestBody | undefined> = fc.oneof(
  fc.constant(undefined),
  json.map((
    value,
  ) => ({
    kind: "json",
    value,
    text: JSON.stringify(value),
    contentType: "application/json",
  } as const)),
  fields(key).filter(({ length }) => length > 0).map((fields) => ({
    kind: "form",
    text: encodeForm(fields.map(({ name, value }) => [name, value])),
    contentType: "application/x-www-form-urlencoded",
  } as const)),
  fields(key).map((
    parts,
  ) => ({ kind: "multipart", parts, contentType: "multipart/form-data; boundary=b" } as const)),
  text.map((text) => ({ kind: "text", text, contentType: "text/plain" } as const)),
  fc.base64String().map((
    base64,
  ) => ({ kind: "base64", base64, contentType: "application/octet-stream" } as const)),
);

const token = fc.constantFrom(...TOKENS);
const page = fc.array(
  fc.oneof(
    fc.tuple(key, text).map(([name, value]) => `<input name="${name}" value="${value}">`),
    fc.tuple(key, token).map(([name, value]) => `<meta name='${name}' content="${value}">`),
    fc.tuple(key, token).map(([name, value]) => `<script>var ${name} = "${value}";</script>`),
    token.map((value) => `<a href="/x/${value}">`),
    text,
  ),
  { maxLength: 5 },
).map((pieces) => pieces.join("\n"));
const answerHeaders = fc.array(
  fc.oneof(
    fc.record({ name: fc.constant("X-Token"), value: text }),
    fc.record({
      name: fc.constant("Set-Cookie"),
      value: text.map((value) => `sid=${value}; Path=/`),
    }),
    fc.record({ name: fc.constant("Location"), value: url }),
  ),
  { maxLength: 2 },
);

const call = fc.record({
  method: fc.constantFrom("GET", "POST", "PUT"),
  url,
  headers,
  body,
  gap: fc.integer({ min: -20, max: 80 }),
  took: fc.integer({ min: 0, max: 100 }),
  answer: fc.oneof(
    { weight: 3, arbitrary: fc.dictionary(key, token, { minKeys: 3 }) },
    { weight: 2, arbitrary: json },
    { weight: 1, arbitrary: fc.constant(undefined) },
  ),
  page: fc.option(page, { freq: 3, nil: undefined }),
  status: fc.constantFrom(200, 200, 302),
  answerHeaders,
});

/** Generates recorded calls with values, some of them hostile, in every possible position. */
export const recordedExchanges: fc.Arbitrary<Exchange[]> = fc
  .array(call, { minLength: 1, maxLength: 6 })
  .map((calls) => {
    let now = 1_000;
    return calls.map(
      ({ method, url, headers, body, gap, took, answer, page, status, answerHeaders }, index) => {
        const startedAt = now;
        now += Math.max(0, took + gap);
        const text = page ?? (answer === undefined ? undefined : JSON.stringify(answer));
        const mimeType = page === undefined ? "application/json" : "text/html";
        return {
          index,
          page: undefined,
          startedAt,
          endedAt: startedAt + took,
          request: { method, url, headers, body },
          response: { status, headers: answerHeaders, mimeType, text, size: 0 },
        };
      },
    );
  });
