import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import fc from "fast-check";
import { framedJson } from "../../src/base/frames.ts";
import { random } from "../../src/base/random.ts";
import { convertHar } from "../../src/convert/from_har.ts";
import { extractValue } from "../../src/correlation/try_extractor.ts";
import { listSteps } from "../../src/plan/kinds/list_requests.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import type { Exchange } from "../../src/traffic/har/recording.ts";
import { freshValue, FreshValues, parseTimestamp } from "../../src/verify/fresh_values.ts";
import { generatedValues, ValueFinder } from "../../src/verify/generated_values.ts";
import { markRequests, type PlanRequest } from "../../src/verify/plan_requests.ts";
import { socketRecording } from "../builders/socket_recording.ts";
import { type CaseCall, readCases, recordingOf } from "../convert/har/recorded_case.ts";
import { planOf, verified } from "../support/verified.ts";

const FOUND: [text: string, values: string[]][] = [
  ["/orders/48213?page=2", ["48213"]],
  ["T48213x", ["48213"]],
  ["a81bc81b-dead-4e5d-abff-90865d1e13b1", ["a81bc81b-dead-4e5d-abff-90865d1e13b1"]],
  ["at 2026-11-22T10:05:33.123Z!", ["2026-11-22T10:05:33.123Z"]],
  ["at=2026-11-22T10%3A05%3A33%2B01%3A00", ["2026-11-22T10:05:33+01:00"]],
  ["Sun, 22 Nov 2026 10:05:33 GMT", ["Sun, 22 Nov 2026 10:05:33 GMT"]],
  ["1763804123456", ["1763804123456"]],
  ['{"t":"4cb0d9a1f3e27788+\\\\"}', ["4cb0d9a1f3e27788"]],
  ["q=4cb0d9a1%2Bf3e27788%3D", ["4cb0d9a1", "f3e27788"]],
  ["\\u003d4cb0d9a1\\nf3e27788", ["4cb0d9a1", "f3e27788"]],
  ["YWHesXjBBuerbirwepk4", ["YWHesXjBBuerbirwepk4"]],
  ["qUAYMRiQ3-_cC2p1TKMDj", ["qUAYMRiQ3", "cC2p1TKMDj"]],
  ["load.php?version=1e5xb", ["1e5xb"]],
  ["version=WzQxLDld", ["WzQxLDld"]],
];

const NONE = [
  "ada",
  "page 2 of 30",
  "application/json",
  "getCustomerOrderHistory",
  "innerHTML",
  "listURLs",
  "YouTubeAPI",
  "GetFacetValueList",
  "XMLHttpRequest",
  "org.apache.wicket.examples.AjaxDataTablePage",
  "my-first-article",
  "v1.2.3",
  "chapter12",
  "2026-11-22",
  "22.11.2026",
  "0.123456",
  "0000",
  "http://127.0.0.1:42989/index.php",
  "https%3A%2F%2Fapp.example%3A8443%2Fcb",
  "",
];

Deno.test("generatedValues finds the values that a server could have generated, in any encoding", () => {
  for (const [text, values] of FOUND) {
    assertEquals(generatedValues(text).map(({ value }) => value), values, text);
  }
});

Deno.test("generatedValues ignores words, versions, dates, hosts and short numbers", () => {
  for (const text of NONE) assertEquals(generatedValues(text), [], text);
});

Deno.test("generatedValues finds the same values in text with and without JSON escapes", () => {
  fc.assert(fc.property(fc.string({ unit: "binary-ascii", maxLength: 60 }), (text) => {
    const plain = text.replace(/[%&\\]/g, " ");
    const values = generatedValues(plain).map(({ value }) => value);
    const escaped = JSON.stringify(plain).slice(1, -1);
    assertEquals(generatedValues(escaped).map(({ value }) => value), values);
  }));
});

function finderOf(...values: string[]): ValueFinder {
  const finder = new ValueFinder();
  for (const value of values) finder.add(value);
  return finder;
}

Deno.test("ValueFinder.find returns known values with their offsets, even within other text", () => {
  const finder = finderOf("48213", "9f86d081884c7d65", "Untitled Folder");
  const text = "T48213x 9f86d081884c7d65 /ada1/Untitled%20Folder/x 482130";
  assertEquals(finder.find(text), [
    { value: "48213", start: 1, end: 6 },
    { value: "9f86d081884c7d65", start: 8, end: 24 },
    { value: "Untitled Folder", start: 31, end: 48 },
  ]);
});

Deno.test("ValueFinder.find ignores numbers in dates, fractions, hosts and timestamps", () => {
  const finder = finderOf("2026", "1234", "8443");
  for (
    const text of [
      "2026-11-22",
      "0.1234",
      "https://app.example:8443/x",
      "2026-11-22T10:05:33Z",
      "01/02/2026",
    ]
  ) assertEquals(finder.find(text), [], text);
});

Deno.test("ValueFinder.find returns every generated value that a string contains if all of them are known", () => {
  const value = fc.oneof(
    fc.uuid(),
    fc.stringMatching(/^[0-9a-f]{16,40}$/),
    fc.bigInt({ min: 1_000n, max: 10n ** 18n }).map(String),
    fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }).map((d) =>
      d.toISOString()
    ),
  );
  const around = fc.constantFrom(" ", '"', "/", "=", "<b>", "&amp;", "%2F", "\\n");
  fc.assert(fc.property(fc.array(fc.tuple(around, value), { minLength: 1 }), (pieces) => {
    const text = pieces.flat().join("") + " ";
    const values = generatedValues(text).map(({ value }) => value);
    assertEquals(finderOf(...values).find(text).map(({ value }) => value), values);
  }));
});

const SHAPES: [value: string, fresh: RegExp][] = [
  ["4711", /^[1-8]\d{3}$/],
  ["cf44a17d59379da9be27", /^[0-9a-f]{20}$/],
  ["CF44A17D59379DA9BE27", /^[0-9A-F]{20}$/],
  ["1456a903-4514-4320-ad23-e5460b536aea", /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-/],
  ["sess_Zx9-yQ", /^[a-z]{4}_[A-Z][a-z]\d-[a-z][A-Z]$/],
];

Deno.test("freshValue generates a different value of the same shape", () => {
  for (const [value, shape] of SHAPES) {
    const fresh = freshValue(value, random(1));
    assertMatch(fresh, shape);
    assertNotEquals(fresh, value);
  }
});

Deno.test("freshValue keeps the header, claim names and timestamps of a JWT", () => {
  const part = (value: unknown) =>
    new TextEncoder().encode(JSON.stringify(value)).toBase64({
      alphabet: "base64url",
      omitPadding: true,
    });
  const claims = { session_id: "5f3c9a71b2d84e60", exp: 1_790_000_000, role: "admin" };
  const jwt = [part({ alg: "HS256" }), part(claims), "c2lnbmF0dXJl"].join(".");
  const [header, payload, signature] = freshValue(jwt, random(1)).split(".");
  const read = JSON.parse(
    new TextDecoder().decode(Uint8Array.fromBase64(payload, { alphabet: "base64url" })),
  );
  assertEquals(header, part({ alg: "HS256" }));
  assertEquals({ ...read, session_id: "" }, { ...claims, session_id: "" });
  assertMatch(read.session_id, /^[0-9a-f]{16}$/);
  assertNotEquals(read.session_id, claims.session_id);
  assertNotEquals(signature, "c2lnbmF0dXJl");
});

Deno.test("freshValue generates a value of the same length for any recorded value", () => {
  fc.assert(fc.property(fc.string({ unit: "grapheme" }), fc.integer(), (value, seed) => {
    assertEquals(freshValue(value, random(seed)).length, value.length);
  }));
});

Deno.test("FreshValues replaces only the number of a short id, so that the text around it stays", () => {
  const values = new FreshValues(1, []);
  for (
    const [id, shape] of [["7", /^\d{6,9}$/], ["TK-77", /^TK-\d{6,9}$/], ["dark", /^dark\d+$/]]
  ) {
    assertMatch(values.generate(`\0kind\0${id}`, "user", 0), shape as RegExp);
  }
  assertMatch(values.generate("\0?\x000-1.-commentForm", "user", 0), /^\d+-1\.-commentForm$/);
});

Deno.test("FreshValues restores a recorded value in the encoding of the fresh one", () => {
  const values = new FreshValues(1, []);
  const time = "2026-02-10T09:30:00Z";
  const fresh = values.generate(time, "user", 3);
  const tag = (text: string) => `W/"datetimeoffset'${encodeURIComponent(text)}'"`;
  assertEquals(values.recorded(tag(fresh)), tag(time));
  assertEquals(values.recorded(`at ${fresh}`), `at ${time}`);
});

const SHIFTED: [timestamp: string, aDayLater: string][] = [
  ["2026-11-22T10:05:33.123Z", "2026-11-23T10:05:33.123Z"],
  ["2026-11-22T10:05:33.123456+05:30", "2026-11-23T10:05:33.123456+05:30"],
  ["2026-11-22 23:05", "2026-11-23 23:05"],
  ["2026-11-22T10:05:33", "2026-11-23T10:05:33"],
  ["2026-11-22.10:05:33", "2026-11-23.10:05:33"],
  ["Sun, 22 Nov 2026 10:05:33 GMT", "Mon, 23 Nov 2026 10:05:33 GMT"],
  ["Sun, 22-Nov-2026 10:05:33 GMT", "Mon, 23-Nov-2026 10:05:33 GMT"],
  ["1763804123", "1763890523"],
  ["1763804123456", "1763890523456"],
  ["1763804123456789", "1763890523456789"],
  ["20261122100533", "20261123100533"],
];

Deno.test("a timestamp from parseTimestamp can format another day in the same notation", () => {
  for (const [timestamp, later] of SHIFTED) {
    const parsed = parseTimestamp(timestamp)!;
    assertEquals([parsed.later(0), parsed.later(1)], [timestamp, later]);
  }
});

Deno.test("parseTimestamp returns undefined for numbers and text that are not timestamps", () => {
  for (const text of ["48213", "0000000001", "20269922100533", "99991231235959123", "today", ""]) {
    assertEquals(parseTimestamp(text), undefined, text);
  }
});

Deno.test("parseTimestamp returns the time, and reproduces the original text", () => {
  const times = fc.integer({ min: Date.UTC(2002, 0), max: Date.UTC(2099, 0) });
  fc.assert(fc.property(times, (ms) => {
    for (const text of [new Date(ms).toISOString(), String(ms), new Date(ms).toUTCString()]) {
      const parsed = parseTimestamp(text)!;
      assertEquals(parsed.later(0), text);
      assertEquals(Math.abs(parsed.ms - ms) < 1_000, true);
    }
  }));
});

const START: CaseCall = { request: "GET /start", response: {}, at: [-50, -40] };
const CREATE = '> {"type":"create"}';

/** Returns a call that opens a WebSocket, with messages at intervals of 20 ms. */
function socket(...messages: (`> ${string}` | `< ${string}`)[]): CaseCall {
  const timed = messages.map((message, i) => [10 + 20 * i, message]);
  return { request: "WS /live", at: [0, 5], messages: Object.fromEntries(timed) };
}

/** Verifies a plan that sends the recorded value 312, and lists the findings about this value. */
async function reportedFor(calls: CaseCall[]): Promise<string[]> {
  const recording = recordingOf(calls);
  const plan = withNumber(convertHar(recording, {}).plan, "312");
  const { stale, unproven } = await verified(plan, recording, { users: 2, iterations: 2 });
  return [
    ...stale.map(({ place, value }) => `stale ${place} ${value}`),
    ...unproven.filter(({ reason }) => reason !== "same text").map(({ place, value }) =>
      `unproven ${place} ${value}`
    ),
  ];
}

/** Returns a copy of a plan in which a number replaces each reference to a variable. */
function withNumber(plan: Plan, number: string): Plan {
  const numberLeaf = /"\$\{\w+\}"(?!:)/g;
  return JSON.parse(
    JSON.stringify(plan).replace(numberLeaf, number).replace(/\$\{\w+\}/g, number),
  );
}

/** Calls, and what `verify` reports if a plan sends the number 312 as recorded. */
const MESSAGE_IDS: readonly [rule: string, calls: CaseCall[], reported: string[]][] = [
  ["in a message", [
    START,
    socket(CREATE, '< {"type":"created","order_id":312}', '> {"type":"open","order_id":312}'),
  ], ["stale json $.order_id 312"]],
  ["in a Socket.IO message", [
    START,
    socket(CREATE, '< 42["created",{"order_id":312}]', '> 42["open",{"order_id":312}]'),
  ], ["stale json $[1].order_id 312"]],
  ["in a Socket.IO message, as the argument of an event that names the object", [
    START,
    socket(CREATE, '< 42["created",{"order_id":312}]', '> 42["open order",312]'),
  ], ["stale json $[1] 312"]],
  ["in a SockJS message", [
    START,
    socket(
      CREATE,
      '< a["{\\"order_id\\":312}"]',
      '> ["{\\"type\\":\\"open\\",\\"order_id\\":312}"]',
    ),
  ], ["stale json $[0] $.order_id 312"]],
  ["in a STOMP message", [
    START,
    socket(
      CREATE,
      '< MESSAGE\ndestination:/topic/orders\n\n{"order_id":312}\0',
      '> SEND\ndestination:/app/orders\n\n{"order_id":312}\0',
    ),
  ], ["stale json $.order_id 312"]],
  ["in a message, although the names do not contain the kind of object", [
    START,
    socket(CREATE, '< {"type":"created","id":312}'),
    { request: "GET /orders/312", response: {}, at: [200, 250] },
  ], ["unproven path segment 2 312"]],
  ["in a message that a request returned", [
    { request: "POST /orders", json: {}, response: { order_id: 312 }, at: [-50, -40] },
    socket('> 42["open",{"order_id":312}]', "< 42[1]"),
  ], ["stale json $[1].order_id 312"]],
  ["in a message that no response contained", [
    START,
    socket(CREATE, '< {"type":"created","order_id":313}', '> 42["open",{"order_id":312}]'),
  ], []],
  ["in a message as a count", [
    START,
    socket(CREATE, '< {"type":"created","id":7,"count":312}', '> 42["list",{"limit":312}]'),
  ], []],
];

for (const [rule, calls, reported] of MESSAGE_IDS) {
  Deno.test(`verifyPlan ${reported.length > 0 ? "reports" : "does not report"} a recorded short id ${rule}`, async () => {
    assertEquals(await reportedFor(calls), reported);
  });
}

const MESSAGES = readCases("messages.yaml").map((one) => ({
  ...one,
  recording: recordingOf(one.calls),
}));
const TWICE = { users: 2, iterations: 2 };

Deno.test("verifyPlan confirms plans that extract values from messages with and without frames", async () => {
  for (const { case: name, recording, received } of MESSAGES) {
    if (Object.keys(received ?? {}).length === 0) continue;
    const { plan } = convertHar(recording, {});
    const { unsent, differing, stale, unproven } = await verified(plan, recording, TWICE);
    // Each user sends the same text. This is not about values from the server.
    const fromServer = unproven.filter(({ reason }) => reason !== "same text");
    assertEquals([unsent, differing, stale, fromServer], [[], [], [], []], name);
  }
});

Deno.test("verifyPlan reports a recorded value from a message wherever a plan sends it", async () => {
  let mutants = 0;
  for (const { case: name, recording } of MESSAGES) {
    const { plan } = convertHar(recording, {});
    for (const [variable, value] of extractedIn(plan, recording.exchanges)) {
      for (const mutant of withLiteral(plan, variable, value)) {
        const { verdict, stale, unproven } = await verified(mutant, recording, TWICE);
        const found = [...stale, ...unproven].map((finding) => finding.value);
        assert(found.includes(value), `${name}: ${variable} ${value}: ${found}`);
        assert(verdict !== "consistent", name);
        mutants++;
      }
    }
  }
  assertEquals(mutants, 19);
});

/** Returns the variables that a plan extracts from messages, and their recorded values. */
function extractedIn(plan: Plan, exchanges: readonly Exchange[]): [name: string, value: string][] {
  const responses = exchanges.flatMap(({ messages = [] }) => messages)
    .filter(({ sent }) => !sent)
    .map(({ text = "" }) => {
      const payload = framedJson(text)?.json;
      return { headers: [], mimeType: "", text, ...(payload !== undefined && { payload }) };
    });
  return [...listSteps(plan.scenarios.recorded.flow)].flatMap(({ expect }) =>
    (expect?.extract ?? []).map((extractor): [string, string] => {
      const values = responses.map((one) => extractValue(extractor, one));
      return [extractor.name, String(values.find((value) => value !== undefined))];
    })
  );
}

/** Returns copies of a plan. Each has `value` in place of one reference to `variable`. */
function withLiteral(plan: Plan, variable: string, value: string): Plan[] {
  const text = JSON.stringify(plan);
  const reference = `\${${variable}}`;
  return [...text.matchAll(new RegExp(RegExp.escape(reference), "g"))]
    // The name of a request is not sent.
    .filter(({ index }) => !/"name":"[^"]*$/.test(text.slice(0, index)))
    .map(({ index }) =>
      JSON.parse(text.slice(0, index) + value + text.slice(index + reference.length))
    );
}

Deno.test("verifyPlan compares JSON in a frame as text if it is nested deeply or repeats a name", async () => {
  const deep = `42["open",${"[".repeat(20_000)}1${"]".repeat(20_000)}]`;
  for (const message of [deep, '42["open",{"a":"first","a":"second","b":1.10}]']) {
    const recording = await socketRecording([
      { call: "GET /", at: 0, response: { ok: true } },
      { call: "WS /ws", at: 50, messages: { 100: "< ready", 200: `> ${message}` } },
    ]);
    const { plan } = convertHar(recording, {});
    const { verdict, differing } = await verified(plan, recording);
    assertEquals([verdict, differing], ["consistent", []]);
    const changed = JSON.stringify(plan).replace("first", "other").replace("[1]", "[2]");
    const other = await verified(JSON.parse(changed), recording);
    assertEquals(other.differing.length, 1);
  }
});

/** Describes the only request of a plan, which sends `text` in a form field. */
function requestWith(text: string): PlanRequest {
  const request = { method: "POST", url: "/save", body: { form: { data: text } } };
  return markRequests(planOf([request])).requests[0];
}

Deno.test("the strings and numbers of JSON within a field are literals of the request", () => {
  const wholes = (text: string, values: readonly string[]) => {
    const request = requestWith(text);
    return values.filter((value) => request.wholeLiterals(value) > 0);
  };
  const values = ["312", "77", "5", "a", "b", "c"];
  assertEquals(wholes('42["a",{"id":312,"inner":"{\\"b\\":77}"}]', values), [
    "312",
    "77",
    "a",
    "b",
  ]);
  assertEquals(wholes('{"id":"${id}","n":${n},"c":"x${id}c"}', values), ["c"]);
  assertEquals(wholes("a 312 b", values), []);
  assertEquals(wholes('{"a": 77, "b 312 5', values), ["312", "77", "5", "a"]);
});

Deno.test("reads JSON with a long string, and with many escaped quotation marks", () => {
  const long = `{"file":"${"a".repeat(2 ** 23)}","id":312}`;
  assertEquals(requestWith(long).wholeLiterals("312") > 0, true);
  const open = `{"id":312,"text":"${'\\"'.repeat(2 ** 20)}`;
  assertEquals(requestWith(open).wholeLiterals("312") > 0, true);
});
