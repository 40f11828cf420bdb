import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { alignResponses } from "../../src/comparison/align.ts";
import type { ComparedResponse } from "../../src/comparison/compared_response.ts";
import { KnownPairs } from "../../src/comparison/known_pairs.ts";
import { matchSequences } from "../../src/comparison/match.ts";
import { recordedStep, sharedValues } from "../../src/correlation/shared_values.ts";
import { splitCalls } from "../../src/traffic/session/recorded_call.ts";
import { type CaseCall, recordingOf } from "../convert/har/recorded_case.ts";
import { measureCpu } from "../support/cpu_time.ts";

function response(
  mimeType: string,
  text: string,
  headers: [string, string][] = [],
): ComparedResponse {
  return {
    status: 200,
    headers: headers.map(([name, value]) => ({ name, value })),
    mimeType,
    text,
  };
}
const json = (value: unknown) => response("application/json", JSON.stringify(value));
const page = (text: string) => response("text/html", text);

function pairsOf(recorded: ComparedResponse, live: ComparedResponse, known = new KnownPairs()) {
  return alignResponses(recorded, live, known).map((pair) => `${pair.recorded}→${pair.live}`);
}

/** Generates pairs of values in the same format, like those that servers generate. */
const pair = fc.oneof(
  ...[
    fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: 32, maxLength: 32 }),
    fc.uuid({ version: 4 }),
    fc.integer({ min: 1_000_000, max: 999_999_999 }).map(String),
    fc.string({ unit: fc.constantFrom(..."ABCDEFabcdef0123456789"), minLength: 22, maxLength: 22 })
      .map((text) => `a9${text}z`),
  ].map((value) => fc.tuple(value, value)),
);
const distinct = fc.array(pair, { minLength: 1, maxLength: 12 })
  .filter((pairs) => new Set(pairs.flat()).size === 2 * pairs.length)
  .map((pairs) => [pairs.map(([recorded]) => recorded), pairs.map(([, live]) => live)] as const);

const PIECES: readonly ((value: string, index: number) => string)[] = [
  (value) => `<input type="hidden" name="csrf" value="${value}">`,
  (value, i) => `<li><a href="/orders/${value}/edit">Order number ${i}</a></li>\n`,
  (value) => `<script>var config = {token: '${value}', limit: 20};</script>`,
  (value) => `<p>Created as ${value}.</p>`,
  (value) => `<a href="/search?page=2&amp;cursor=${value}">next</a>`,
  (_, i) => `<p class="text">Paragraph ${"abcdefgh"[i % 8]} stays.</p>\n`,
];

Deno.test("alignResponses finds exactly the replaced values of a page", () => {
  const kinds = fc.array(fc.nat({ max: PIECES.length - 1 }), { minLength: 12, maxLength: 40 });
  fc.assert(
    fc.property(distinct, kinds, ([recorded, live], kinds) => {
      const render = (values: readonly string[]) =>
        `<html><body>${
          kinds.map((kind, i) => PIECES[kind](values[i % values.length], i)).join("")
        }</body></html>`;
      const expected = new Set(
        kinds.flatMap((kind, i) => {
          const k = i % recorded.length;
          return kind === PIECES.length - 1 ? [] : [`${recorded[k]}→${live[k]}`];
        }),
      );
      const found = new Set(pairsOf(page(render(recorded)), page(render(live))));
      for (const one of expected) assert(found.has(one), `missing: ${one}`);
      const values = new Map(recorded.map((one, i) => [one, live[i]]));
      for (const one of found) {
        const [from, to] = one.split("→");
        const explained = values.get(from) ??
          [...values].reduce((text, [a, b]) => text.replaceAll(a, b), from);
        assertEquals(explained, to, `not replaced: ${one}`);
      }
    }),
  );
});

Deno.test("alignResponses finds exactly the replaced values of a JSON body", () => {
  fc.assert(
    fc.property(distinct, fc.boolean(), ([recorded, live], reversed) => {
      const body = (values: readonly string[], reversed: boolean) => {
        const items = values.map((id, i) => ({
          id,
          title: `item ${"abcdefghijklmnop"[i]}`,
          size: 5,
        }));
        return {
          ok: true,
          user: { name: "alice", session: values[0] },
          items: reversed ? items.reverse() : items,
        };
      };
      const found = new Set(pairsOf(json(body(recorded, false)), json(body(live, reversed))));
      assertEquals(found, new Set(recorded.map((one, i) => `${one}→${live[i]}`)));
    }),
  );
});

Deno.test("alignResponses ignores echoes of known values", () => {
  const known = new KnownPairs();
  known.add("1234567", "7654321");
  known.add("ab12", "cd34");
  const body = (a: string, b: string) => `<a href="/x/${a}">${b}</a><i>${b}</i>`;
  assertEquals(pairsOf(page(body("1234567", "ab12")), page(body("7654321", "cd34")), known), []);
  assertEquals(
    pairsOf(json({ a: 1234567, b: "ab12" }), json({ a: 7654321, b: "cd34" }), known),
    [],
  );
});

Deno.test("alignResponses matches list items by known values, in any order and number", () => {
  const known = new KnownPairs();
  known.add("my title", "my title k3x9");
  const recorded = json([{ id: 5001, name: "my title" }, { id: 5002, name: "other" }]);
  const live = json([
    { id: 9001, name: "left by another run" },
    { id: 9002, name: "other" },
    { id: 9003, name: "my title k3x9" },
  ]);
  assertEquals(pairsOf(recorded, live, known), ["5001→9003", "5002→9002"]);
});

Deno.test("alignResponses finds values in headers, cookies and redirects", () => {
  const recorded = response("", "", [
    ["Location", "/cb?code=SplxlOBeZQQYbYS6WxSbIA&state=xyz"],
    ["X-Token", "t0k3n-one"],
    ["Set-Cookie", "sid=31d4d96e407aad42; Path=/"],
    ["Date", "Sun, 22 Nov 2026 10:00:00 GMT"],
  ]);
  const live = response("", "", [
    ["location", "/cb?code=n0ZCs9f8aQQYbYS6WxSbXX&state=xyz"],
    ["x-token", "t0k3n-two"],
    ["set-cookie", "sid=aaaaaaaa407aad42; Path=/"],
    ["date", "Mon, 23 Nov 2026 10:00:00 GMT"],
  ]);
  const found = alignResponses(recorded, live, new KnownPairs());
  assertEquals(found.map(({ recorded, name, at }) => [recorded, name, at.view.place.kind]), [
    ["/cb?code=SplxlOBeZQQYbYS6WxSbIA&state=xyz", "location", "header"],
    ["/cb?code=SplxlOBeZQQYbYS6WxSbIA", "location", "header"],
    ["SplxlOBeZQQYbYS6WxSbIA", "code", "header"],
    ["t0k3n-one", "x-token", "header"],
    ["31d4d96e407aad42", "sid", "cookie"],
  ]);
});

Deno.test("alignResponses finds values in text within JSON strings", () => {
  const body = (id: string) => json({ html: `<form action="/cart/${id}"><b>Cart</b></form>` });
  assertEquals(pairsOf(body("86686"), body("86690")).slice(1), [
    "/cart/86686→/cart/86690",
    "86686→86690",
  ]);
});

Deno.test("alignResponses finds ids between separators, and also random text without a fixed shape", () => {
  const body = (id: string, token: string) =>
    page(`<input name="image-${id}-title"><input name="t" value="${token}">`);
  assertEquals(pairsOf(body("86686", "ab+c/d=="), body("86690", "xx/y+zzzz")), [
    "image-86686-title→image-86690-title",
    "86686→86690",
    "ab+c/d==→xx/y+zzzz",
  ]);
});

Deno.test("alignResponses keeps every digit of large integers", () => {
  const body = (id: string) => response("application/json", `{"id": ${id}}`);
  assertEquals(pairsOf(body("9007199254740993"), body("9007199254740995")), [
    "9007199254740993→9007199254740995",
  ]);
});

Deno.test("alignResponses compares pages of many equal and different lines in near-linear time", () => {
  const lines = (n: number, salt: string) =>
    page(
      Array.from({ length: n }, (_, i) => `<li class="row">Row <b>${salt}${i}</b></li>\n`).join(""),
    );
  const measure = (n: number) => {
    const [recorded, live] = [lines(n, "a"), lines(n + 7, "b")];
    return measureCpu(() => alignResponses(recorded, live, new KnownPairs())).seconds;
  };
  measure(2_000);
  const [small, large] = [2_000, 16_000].map(measure);
  assert(large < 40 * small + 0.2, `${small} s for 2,000 rows, ${large} s for 16,000`);
});

Deno.test("alignResponses decodes character references in attributes", () => {
  const body = (token: string) => page(`<form><input name="t" value="${token}"></form>`);
  assertEquals(pairsOf(body("ab&#x2B;cd/9=="), body("x&#x2B;&#x2B;yz/77==")), [
    "ab+cd/9==→x++yz/77==",
  ]);
});

Deno.test("alignResponses does not split timestamps", () => {
  const body = (time: string) =>
    page(`<i data-at="${time}"></i><a href="/list?since=${time}">x</a>`);
  assertEquals(
    new Set(pairsOf(body("2026-11-22T09:56:16.684Z"), body("2026-11-23T10:56:17.102Z"))),
    new Set([
      "2026-11-22T09:56:16.684Z→2026-11-23T10:56:17.102Z",
      "/list?since=2026-11-22T09:56:16.684Z→/list?since=2026-11-23T10:56:17.102Z",
    ]),
  );
});

Deno.test("alignResponses names a value after its form field, parameter or collection", () => {
  const body = (id: number) =>
    page(
      `<input type="hidden" id="id_revision" name="revision" value="${id}">` +
        `<a href="/orders/${id}/edit">edit</a><script>var limit = ${id};</script>`,
    );
  const names = alignResponses(body(2), body(5), new KnownPairs()).filter(({ recorded }) =>
    recorded === "2"
  )
    .map(({ name }) => name);
  assertEquals(names, ["revision", "orders", "limit"]);
});

const TOKEN = "q7Zk2Xw9";
const basic = (text: string) => ({ Authorization: `Basic ${btoa(text)}` });
const script = (modified: string): CaseCall => ({
  request: "GET /app.js",
  type: "text/javascript",
  text: `const token = "${TOKEN}";`,
  response_headers: { "Last-Modified": modified },
});

/** Calls, and the shared values: the calls that send them, and those whose responses do. */
const ROWS: Record<string, [calls: CaseCall[], ...values: string[]]> = {
  "a value in all places, in the order in which requests send them": [
    [
      { request: "GET /a", response: { token: TOKEN } },
      { request: `GET /b/${TOKEN}`, headers: { "X-Token": TOKEN }, response: { again: TOKEN } },
      { request: "POST /c", json: { token: TOKEN } },
    ],
    `${TOKEN}: 1 path, 1 header, 2 json of 0, 1`,
  ],
  "responses in the order in which they ended": [
    [
      { request: "GET /slow", at: [0, 900], response: { token: TOKEN } },
      { request: "GET /fast", at: [100, 200], response: { token: TOKEN } },
      { request: `GET /b?token=${TOKEN}`, at: [1_000, 1_100] },
    ],
    `${TOKEN}: 2 query of 1, 0`,
  ],
  "no part of a word or of a number": [
    [
      { request: "GET /a", response: { id: 91234, name: "greentea" } },
      { request: "GET /b/1234/tea" },
    ],
  ],
  "no value that no response contains": [[
    { request: "GET /a", response: { token: "r8Ym3Vb1" } },
    { request: `GET /b/${TOKEN}` },
  ]],
  "no value of a script from before the session": [
    [script("Thu, 01 Jan 1970 00:00:00 GMT"), { request: `GET /b/${TOKEN}` }],
  ],
  "a value of a script that the session changed": [
    [script("Thu, 01 Jan 1970 00:00:09 GMT"), { request: `GET /b/${TOKEN}` }],
    `${TOKEN}: 1 path of 0`,
  ],
  "a value in base64": [
    [
      { request: "GET /a", response: { user: TOKEN, key: "r8Ym3Vb1" } },
      { request: "GET /b", headers: basic(`${TOKEN}:r8Ym3Vb1`) },
    ],
    `${TOKEN}: 1 header of 0`,
    "r8Ym3Vb1: 1 header of 0",
  ],
  "no user name in base64, if the plan would then contain the password": [[
    { request: "GET /a", response: { user: TOKEN } },
    { request: "GET /b", headers: basic(`${TOKEN}:secret-word`) },
  ]],
};

for (const [name, [calls, ...expected]] of Object.entries(ROWS)) {
  Deno.test(`sharedValues finds ${name}`, () => {
    const steps = splitCalls(recordingOf(calls).exchanges).map(recordedStep);
    const found = sharedValues(steps, () => true).map(({ value, uses, sources }) => {
      const sent = uses.map(({ call, field }) => `${call.order} ${field.kind}`);
      return `${value}: ${sent.join(", ")} of ${sources.map(({ call }) => call.order).join(", ")}`;
    });
    assertEquals(found, expected);
  });
}

Deno.test("sharedValues omits the fields that are not sought", () => {
  const calls = [
    { request: "GET /a", response: { token: TOKEN } },
    { request: `GET /b/${TOKEN}`, headers: { "X-Token": TOKEN } },
  ];
  const steps = splitCalls(recordingOf(calls).exchanges).map(recordedStep);
  const [{ uses }] = sharedValues(steps, ({ kind }) => kind !== "path");
  assertEquals(uses.map(({ field }) => field.kind), ["header"]);
});

Deno.test("KnownPairs replaces whole tokens only, in both directions", () => {
  const known = new KnownPairs();
  known.add("86686", "90001");
  known.add("tok-abcdefgh", "tok-zyxwvuts");
  known.add("5", "7");
  const text = "/a/86686/x866861?t=tok-abcdefgh&n=5";
  assertEquals(known.toLive(text), "/a/90001/x866861?t=tok-zyxwvuts&n=5");
  assertEquals(known.toRecorded(known.toLive(text)), text);
  assertEquals([known.liveOf("5"), known.recordedOf("7")], ["7", "5"]);
});

Deno.test("KnownPairs replaces encoded forms of a value", () => {
  const known = new KnownPairs();
  known.add('a "title" & b', "other <title>");
  assertEquals(known.toLive("q=a%20%22title%22%20%26%20b"), "q=other%20%3Ctitle%3E");
  assertEquals(known.toLive("<b>a &quot;title&quot; &amp; b</b>"), "<b>other &lt;title&gt;</b>");
  assertEquals(known.toLive('{"t":"a \\"title\\" & b"}'), '{"t":"other <title>"}');
});

Deno.test("KnownPairs forgets a pair, but not another one with the same live value", () => {
  const known = new KnownPairs();
  known.add("tok-one-1", "new-tok-9");
  known.add("tok-two-2", "new-tok-9");
  known.forget("tok-two-2");
  assertEquals(known.toLive("tok-one-1 tok-two-2"), "new-tok-9 tok-two-2");
  assertEquals(known.toRecorded("new-tok-9"), "tok-one-1");
});

Deno.test("KnownPairs keeps the first of several live values for a recorded value", () => {
  const known = new KnownPairs();
  assertEquals([known.add("abcd", "efgh"), known.add("abcd", "ijkl")], [true, false]);
  assertEquals(known.liveOf("abcd"), "efgh");
});

const sequence = fc.array(fc.nat({ max: 12 }), { maxLength: 40 });

Deno.test("matchSequences returns ascending matches and gaps that cover both sequences", () => {
  fc.assert(
    fc.property(sequence, sequence, (a, b) => {
      const { matches, gaps } = matchSequences(a, b);
      for (const [i, j] of matches) assertEquals(a[i], b[j]);
      for (let k = 1; k < matches.length; k++) {
        assert(matches[k - 1][0] < matches[k][0] && matches[k - 1][1] < matches[k][1]);
      }
      const inGaps = (side: "a" | "b") =>
        gaps.reduce((sum, gap) => sum + gap[side][1] - gap[side][0], 0);
      assertEquals(matches.length + inGaps("a"), a.length);
      assertEquals(matches.length + inGaps("b"), b.length);
    }),
  );
});

Deno.test("matchSequences finds inserted, removed and unchanged elements", () => {
  const { matches, gaps } = matchSequences([1, 2, 3, 4, 5], [1, 9, 9, 2, 3, 5]);
  assertEquals(matches.map(([i, j]) => `${i}-${j}`), ["0-0", "1-3", "2-4", "4-5"]);
  assertEquals(gaps, [{ a: [1, 1], b: [1, 3] }, { a: [3, 4], b: [5, 5] }]);
});
