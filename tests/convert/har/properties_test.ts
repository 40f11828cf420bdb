import { assert, assertEquals } from "@std/assert";
import fc, { COSTLY } from "fast-check";
import { parseYaml } from "../../../src/base/yaml.ts";
import { convertHar } from "../../../src/convert/from_har.ts";
import { clientIds } from "../../../src/convert/har/client_ids.ts";
import { Replacements } from "../../../src/correlation/replace.ts";
import { checkPlan } from "../../../src/plan/check_plan.ts";
import type { Request } from "../../../src/plan/kinds/request.ts";
import { loadPlan } from "../../../src/plan/load_plan.ts";
import { printPlan } from "../../../src/plan/print.ts";
import type { Plan } from "../../../src/plan/schema/plan.ts";
import { parseTemplate } from "../../../src/plan/text/template.ts";
import { readHar } from "../../../src/traffic/har/read_har.ts";
import type { Exchange, Recording, RequestBody } from "../../../src/traffic/har/recording.ts";
import { splitCalls } from "../../../src/traffic/session/recorded_call.ts";
import { jsonNumbers } from "../../builders/json_numbers.ts";
import { runInVirtualTime } from "../../support/run_in_virtual_time.ts";
import { verified } from "../../support/verified.ts";
import { recordedExchanges } from "./arbitrary_recording.ts";
import { recordingWith } from "./recorded_case.ts";
import { extract, send, type Variables } from "./replay.ts";
import {
  converted,
  harOf,
  meaning,
  onWire,
  recorded,
  sentRequests,
  wireCall,
} from "./wire_requests.ts";

/** Converts exchanges to a plan whose extractors all are JSONPaths. */
function planWithPaths(exchanges: readonly Exchange[], jsonOnly = false): Plan {
  const { plan } = convertHar(recordingWith(exchanges), { jsonOnly });
  return requestsOf(plan).every(({ extract = [] }) =>
      extract.every(({ type }) => type === "jsonpath")
    )
    ? plan
    : convertHar(recordingWith(exchanges), { jsonOnly: true }).plan;
}

function requestsOf(plan: Plan): Request[] {
  return plan.scenarios.recorded.flow.map(({ request }) => request!);
}

Deno.test("if responses contain the recorded values, a converted plan sends exactly the recorded requests", () => {
  let correlated = 0;
  fc.assert(
    fc.property(recordedExchanges, fc.boolean(), (exchanges, jsonOnly) => {
      const plan = planWithPaths(exchanges, jsonOnly);
      const requests = requestsOf(plan);
      const generated = clientIds(
        splitCalls(exchanges),
        exchanges,
        new Replacements([]),
      );
      const variables: Variables = new Map(
        generated.map(({ name, random }) => [`uuid(${name})`, random]),
      );
      assertEquals(requests.length, exchanges.length);
      requests.forEach((request, i) => {
        const { request: recorded, response } = exchanges[i];
        const sent = send(request, plan.defaults!.http!, variables);
        assertEquals(sent.method, recorded.method);
        assertEquals(normal(sent.url), normal(recorded.url));
        assertEquals(sent.headers, recordedHeaders(recorded.headers, recorded.body));
        assertEquals(sent.body, recordedBody(recorded.body));
        if (request.extract) extract(request.extract, JSON.parse(response.text!), variables);
      });
      correlated += assertLiteralsReplaced(requests, exchanges);
    }),
  );
  assert(correlated > 50, `${correlated} correlations were looked at`);
});

/**
 * Asserts that the requests after each extractor do not contain its recorded value. Returns the
 * number of extractors.
 */
function assertLiteralsReplaced(
  requests: readonly Request[],
  exchanges: readonly Exchange[],
): number {
  let extractors = 0;
  requests.forEach((request, producer) => {
    for (const extractor of request.extract ?? []) {
      extractors++;
      const variables: Variables = new Map();
      extract([extractor], JSON.parse(exchanges[producer].response.text!), variables);
      const value = variables.get(extractor.name);
      const ended = hasClock(exchanges) ? exchanges[producer].endedAt : -Infinity;
      requests.slice(producer + 1).forEach((later, i) => {
        const { startedAt } = exchanges[producer + 1 + i];
        if (startedAt + 1 < ended) return;
        for (const literal of literalsOf(later)) {
          assert(!isReplaceable(literal, value), `${value} in ${literal.text}`);
        }
      });
    }
  });
  return extractors;
}

Deno.test("convertHar always creates the same valid plan from a recording, and its text parses as that plan", () => {
  fc.assert(
    fc.property(recordedExchanges, (exchanges) => {
      const convert = () =>
        convertHar(recordingWith(exchanges), { secrets: true, checks: "status", explain: true });
      const { plan, header } = convert();
      assertEquals(checkPlan(plan).filter(({ severity }) => severity === "error"), []);
      const text = printPlan(plan, header);
      assertEquals(parseYaml(text), plan);
      const again = convert();
      assertEquals(printPlan(again.plan, again.header), text);
    }),
    COSTLY,
  );
});

function hasClock(exchanges: readonly Exchange[]): boolean {
  return exchanges.some(({ startedAt }) => startedAt !== exchanges[0].startedAt);
}

/**
 * Normalizes the percent-encoding of a URL: writes escapes in upper case, and only where they are
 * required.
 */
function normal(url: string): string {
  return url.replace(/[^/?&=]+/g, (text) => {
    try {
      return encodeURIComponent(decodeURIComponent(text));
    } catch {
      return text;
    }
  });
}

function recordedHeaders(
  headers: Exchange["request"]["headers"],
  body: RequestBody | undefined,
): Record<string, string> {
  const kept = headers.filter(({ name }) => !["Cookie", "Host", ":path"].includes(name));
  const type = body?.kind === "text" ? [["Content-Type", body.contentType]] : [];
  return Object.fromEntries([...kept.map(({ name, value }) => [name, value]), ...type]);
}

function recordedBody(body: RequestBody | undefined): unknown {
  switch (body?.kind) {
    case "json":
      return { json: body.value };
    case "form":
      return { form: [...new URLSearchParams(body.text)] };
    case "multipart":
      return { multipart: body.parts.map(({ name, value }) => [name, value]) };
    case "base64":
      return { base64: body.base64 };
    default:
      return body?.text;
  }
}

/** A literal string in a request of a plan. */
interface Literal {
  readonly text: string;
  /** True if the string is a path segment, where variables replace even short numbers. */
  readonly path: boolean;
  readonly json: boolean;
}

function literalsOf({ url, headers = {}, body }: Request): Literal[] {
  const literal = (template: unknown, more: Partial<Literal> = {}): Literal[] => {
    const parts = parseTemplate(String(template));
    const text = parts.length === 1 && parts[0].kind === "text" ? parts[0].text : "";
    return [{ text, path: false, json: false, ...more }];
  };
  const inUrl = (template: string, path: boolean) =>
    literal(template, { path }).map((one) => ({ ...one, text: decoded(one.text) }));
  const [path, query = ""] = url.replace(/^https?:\/\/[^/?]*/, "").split(/\?(.*)/s);
  return [
    ...path.split("/").flatMap((segment) => inUrl(segment, true)),
    ...query.split("&").flatMap((pair) => inUrl(pair.split(/=(.*)/s)[1] ?? "", false)),
    ...Object.values(headers).flatMap((value) => literal(String(value).replace(/^Bearer /, ""))),
    ...bodyTexts(body).flatMap(([text, json]) => literal(text, { json })),
  ];
}

function bodyTexts(body: Request["body"]): [text: string, json: boolean][] {
  if (body === undefined) return [];
  if (typeof body === "string") return [[body, false]];
  if (body.form) {
    const pairs = Array.isArray(body.form) ? body.form : Object.entries(body.form);
    return pairs.map(([, value]) => [String(value), false]);
  }
  if (body.multipart) return body.multipart.map(({ value }) => [value ?? "", false]);
  return leaves(body.json).map((text) => [text, true]);
}

function leaves(value: unknown): string[] {
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(leaves);
  return typeof value === "string" || typeof value === "number" ? [String(value)] : [];
}

/**
 * Reports whether `convert` should have replaced a literal with a variable that has this value. In
 * JSON, a variable with a string value cannot replace a number. Variables replace numbers of up to
 * three digits only in path segments.
 */
function isReplaceable({ text, path, json }: Literal, value: unknown): boolean {
  if (text !== String(value)) return false;
  if (/^\d{1,3}$/.test(text)) return path;
  return !(json && typeof value === "string" && /^\d+$/.test(text));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

interface Call {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  /** JSON text of the request body. */
  readonly json?: string;
  /** JSON text of the response body. */
  readonly response?: string;
}

/** Builds a HAR with calls to `http://t`, one second apart, and reads it. */
function recordingOf(calls: readonly Call[]): Promise<Recording> {
  const entries = calls.map(({ method = "GET", path, headers = {}, json, response }, i) => ({
    startedDateTime: new Date(1_700_000_000_000 + i * 1_000).toISOString(),
    time: 10,
    request: {
      method,
      url: `http://t${path}`,
      headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
      ...(json !== undefined && { postData: { mimeType: "application/json", text: json } }),
    },
    response: {
      status: 200,
      headers: [],
      content: { size: 1, mimeType: "application/json", text: response ?? "{}" },
    },
  }));
  const har = JSON.stringify({ log: { version: "1.2", entries } });
  return readHar([new TextEncoder().encode(har)], "test.har");
}

/** Converts a recording, and returns the plan parsed from the text that `convert` writes. */
function writtenPlan(recording: Recording): Plan {
  const { plan: converted, header } = convertHar(recording, {});
  const { plan, diagnostics } = loadPlan(printPlan(converted, header));
  assertEquals(diagnostics, []);
  return plan!;
}

for (const id of ["123456789012345", "1234567890123456789", "9007199254740993"]) {
  const calls: Call[] = [
    {
      method: "POST",
      path: "/orders",
      json: '{"qty":1.10,"article":9007199254740995}',
      response: `{"id":${id},"price":12.50}`,
    },
    { path: `/orders/${id}?order=${id}` },
    {
      method: "POST",
      path: "/pay",
      headers: { "X-Order": id },
      json: `{"order":${id},"all":[${id}],"text":"${id}","amount":12.50}`,
    },
  ];

  Deno.test(`a converted plan extracts the id ${id} and sends all of its digits`, async () => {
    const plan = writtenPlan(await recordingOf(calls));
    const fresh = "1".repeat(id.length - 1) + "3";
    const { sent } = await runInVirtualTime(plan, {
      respond: () => ({ body: `{"id":${fresh},"price":1}` }),
    });
    assertEquals(sent.map(({ target, body }) => [target, body]), [
      ["/orders", '{"qty":1.10,"article":9007199254740995}'],
      [`/orders/${fresh}?order=${fresh}`, ""],
      ["/pay", `{"order":${fresh},"all":[${fresh}],"text":"${fresh}","amount":12.50}`],
    ]);
    assertEquals(sent[2].headers["x-order"], fresh);
  });

  Deno.test(`verify generates a fresh id for ${id}, and detects a request that sends the recorded id`, async () => {
    const recording = await recordingOf(calls);
    const plan = writtenPlan(recording);
    const { stale, differing, share } = await verified(plan, recording, {
      users: 2,
      iterations: 2,
    });
    assertEquals([stale, differing, share], [[], [], 1]);
    const literal = printPlan(plan, []).replace("order: ${id}", `order: ${id}`);
    const edited = await verified((loadPlan(literal)).plan!, recording);
    assertEquals(edited.stale.map(({ value, place }) => [value, place]), [[id, "json $.order"]]);
  });
}

Deno.test("a converted plan sends the recorded JSON text of every number", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(jsonNumbers, { minLength: 1, maxLength: 5 }), async (numbers) => {
      const json = `{"list":[${numbers.join(",")}],"map":{"n":${numbers[0]}}}`;
      const recording = await recordingOf([{ method: "POST", path: "/", json }]);
      const plan = writtenPlan(recording);
      assert(!printPlan(plan, []).includes("Content-Type"), "not a body of text");
      const { sent: [{ body }] } = await runInVirtualTime(plan);
      assertEquals(body, json);
      const { differing, share } = await verified(plan, recording);
      assertEquals([differing, share], [[], 1]);
    }),
    COSTLY,
  );
});

Deno.test("verify reports a decimal number that the plan sends with different digits", async () => {
  const recording = await recordingOf([{
    method: "POST",
    path: "/",
    json: '{"a":9007199254740993}',
  }]);
  const text = printPlan(writtenPlan(recording), []);
  const plan = (loadPlan(text.replace("9007199254740993", "9007199254740992"))).plan!;
  const { differing } = await verified(plan, recording);
  assertEquals(differing.map(({ recorded, sent }) => [recorded, sent]), [
    ["9007199254740993", "9007199254740992"],
  ]);
});

const HARS = new URL("../../../testdata/har/bytes/", import.meta.url);

function read(name: string): string {
  return Deno.readTextFileSync(new URL(name, HARS));
}

/** Returns the numbers of the requests that the note with this code lists. */
async function noted(har: string, code: string): Promise<number[]> {
  const { notes } = await converted(read(har));
  const message = notes.filter((note) => note.code === code).map((note) => note.message).join();
  return [...message.matchAll(/request (\d+)/g)].map(([, number]) => Number(number));
}

Deno.test("a converted plan sends the recorded bytes, however the body was recorded", async () => {
  const calls = fc.array(wireCall, { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(calls, async (calls) => {
      const sent = await sentRequests(harOf(calls.map(recorded)));
      const isTyped = (i: number) => calls[i].content[1] !== undefined;
      assertEquals(
        sent.map((request, i) => meaning(request, isTyped(i))),
        calls.map((call, i) => meaning(onWire(call), isTyped(i))),
      );
    }),
    COSTLY,
  );
});

Deno.test("a converted plan sends the text of bodies that are not canonical forms", async () => {
  const { log } = JSON.parse(read("formraw.har"));
  const texts = log.entries.map(({ request }: Entry) => request.postData.text);
  assertEquals((await sentRequests(read("formraw.har"))).map(utf8Body), texts);
  assertEquals((await sentRequests(read("k6_487.har"))).map(utf8Body), [
    '{ "some": "other thing" }',
    "data=1&text=%D2%D4",
    "A=%df'&B=Hello",
    "data=1&text=%D2%D4",
    "__VIEWSTATE=%2FwEPDwUK%2BA%3D%3D&__EVENTTARGET=ctl00%24b&x=",
  ]);
});

interface Entry {
  readonly request: { readonly postData: { readonly text: string } };
}

function utf8Body({ body }: { readonly body: string }): string {
  return new TextDecoder().decode(Uint8Array.from(body, (char) => char.charCodeAt(0)));
}

Deno.test("a converted plan sends the targets that a browser sends", async () => {
  assertEquals((await sentRequests(read("query.har"))).map(({ target }) => target), [
    "/q?foo=bar+baz.pdf&x=a%2Bb&arr[]=1&arr[]=2&arr%5B%5D=3&empty=&flag&dup=1&dup=1&u=%C3%A9" +
    "&raw=%C3%A9&pct=100%&bad=%u2&bad2=%ZZ&semi=a;b&hash=%23",
    "/p%2Fa/b%20c/d+e/%E4/~x/(y)/[z]/%7Bw%7D/a|b/^/%60/;v=1,2/@:!$&'*=",
    "/q2?",
    "/q3?&&a=1&&",
    "/q4?a=1?b=2/../c",
    "/b/c//d",
    "/",
    "/q5?x=%22y%22%3Cz%3E\\",
    "/q6?json={%22a%22:[1,2]}&tpl=${vars.id}&$x=$$y",
  ]);
});

Deno.test("convert warns about bodies that the HAR does not contain completely", async () => {
  assertEquals(await noted("trunc_req.har", "missing-bodies"), [1]);
  assertEquals(await noted("upload.har", "missing-bodies"), [1, 2, 3, 4, 5, 6, 7]);
  const { notes } = await converted(read("upload.har"));
  const missing = notes.filter(({ code }) => code === "missing-bodies");
  assertEquals(missing.map(({ subject, message }) => `${subject}: ${message}`), [
    "rebuilt bodies: the HAR lacks the bodies of requests, which were rebuilt from the form in a " +
    "page or from another call, with placeholder files: request 1 (POST /up), " +
    "request 2 (POST /up2); check the fields and files",
    "request bodies: the HAR lacks the bodies of requests, or parts of them: a file was omitted, " +
    "text was cut off, or bytes were not decoded: request 3 (POST /up3), request 4 (POST /up4), " +
    "request 5 (POST /up5), request 6 (POST /up6), request 7 (POST /up7) and 2 more; " +
    "write the `body` of these requests",
  ]);
  const [gzip, decoded, whole] = (await sentRequests(read("upload.har"))).slice(8);
  assertEquals([gzip.coding, gzip.body], ["gzip", "\x1f\x8b\x08\0\0\0\0\0\0\x03\0\0"]);
  assertEquals([decoded.coding, decoded.body], [undefined, '{"plain":true}']);
  assertEquals([whole.coding, whole.body.length], ["gzip", 28]);
});

Deno.test("a form that is sent as text sends extracted values and secrets", async () => {
  const entry = (i: number, body: string | undefined, response: object) => ({
    startedDateTime: new Date(i * 1_000).toISOString(),
    time: 5,
    request: {
      method: body === undefined ? "GET" : "POST",
      url: `http://a.example/${i}`,
      headers: [],
      ...(body !== undefined && {
        postData: { mimeType: "application/x-www-form-urlencoded", text: body },
      }),
    },
    response: {
      status: 200,
      headers: [],
      content: { mimeType: "application/json", text: JSON.stringify(response) },
    },
  });
  const token = "8f3a1c2b/4d5e6f==";
  const form = `csrf=${encodeURIComponent(token)}&id=7391&password=Tea4Two!&q=a%20b`;
  const har = JSON.stringify({
    log: { entries: [entry(0, undefined, { csrf: token, id: 7391 }), entry(1, form, {})] },
  });
  assertEquals(utf8Body((await sentRequests(har, { csrf: token, id: 7391 }))[1]), form);
  assertEquals(
    utf8Body((await sentRequests(har, { csrf: "x/y z", id: 8 }))[1]),
    "csrf=x%2Fy%20z&id=8&password=Tea4Two!&q=a%20b",
  );
  const { plan } = await converted(har, { secrets: true });
  const [, { request }] = plan.scenarios.recorded.flow;
  assertEquals(
    request?.body,
    "csrf=${url_encode(csrf)}&id=${url_encode(id)}&password=${url_encode(secrets.PASSWORD)}&q=a%20b",
  );
});
