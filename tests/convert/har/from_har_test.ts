import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { InputError } from "../../../src/base/errors.ts";
import { convertHar, type HarConversion } from "../../../src/convert/from_har.ts";
import type { HarOptions } from "../../../src/convert/har/facts.ts";
import type { Request } from "../../../src/plan/kinds/request.ts";
import type { Step } from "../../../src/plan/kinds/steps.ts";
import type { Exchange } from "../../../src/traffic/har/recording.ts";
import { measureCpu } from "../../support/cpu_time.ts";
import { type CaseCall, recordingOf, recordingWith } from "./recorded_case.ts";

function convert(calls: readonly CaseCall[], options: HarOptions = {}): HarConversion {
  return convertHar(recordingOf(calls), options);
}

function flowOf({ plan }: HarConversion): Step[] {
  return plan.scenarios.recorded.flow;
}

function requestsOf(converted: HarConversion): Request[] {
  return flowOf(converted).flatMap(({ request }) => request ? [request] : []);
}

function noteOf({ notes }: HarConversion, code: string): string {
  return notes.filter((note) => note.code === code).map(({ message }) => message).join("\n");
}

Deno.test("convertHar tags each request with the number of its entry in the HAR", () => {
  const { exchanges: [first, asset, last] } = recordingOf([
    { request: "GET /a" },
    { request: "GET /a.css", type: "text/css" },
    { request: "GET /b" },
  ]);
  const recording = recordingWith([{ ...last, index: 2 }, asset, { ...first, index: 11 }]);
  assertEquals(requestsOf(convertHar(recording, {})).map(({ url, tags }) => [url, tags]), [
    ["/b", { recorded: "3" }],
    ["/a", { recorded: "12" }],
  ]);
});

Deno.test("convertHar drops transport, cookie and cache headers and keeps the others", () => {
  const headers = [
    [":authority", "x"],
    ["Host", "x"],
    ["Connection", "keep-alive"],
    ["Proxy-Authorization", "x"],
    ["TE", "x"],
    ["Content-Length", "1"],
    ["Accept-Encoding", "gzip"],
    ["COOKIE", "x"],
    ["HTTP2-Settings", "x"],
    ["If-None-Match", "x"],
    ["If-Modified-Since", "x"],
    ["If-Match", '"v1"'],
    ["x-Odd-CASE", "${env.HOME}"],
    ["Accept", "a"],
    ["accept", "b"],
    ["User-Agent", "c"],
    ["user-agent", "c"],
    ["", "x"],
  ].map(([name, value]) => ({ name, value }));
  const { exchanges: [exchange] } = recordingOf([{ request: "GET /" }]);
  const recorded = { ...exchange, request: { ...exchange.request, headers } };
  const converted = convertHar(recordingWith([recorded]), {});
  assertEquals(requestsOf(converted)[0].headers, {
    "If-Match": '"v1"',
    "x-Odd-CASE": "$${env.HOME}",
    Accept: "a, b",
    "User-Agent": "c",
  });
});

Deno.test("convertHar writes the headers of most requests as defaults, and null where a request lacks one", () => {
  const calls = Array.from({ length: 12 }, (_, i) => ({
    request: `GET /${i}`,
    headers: { Accept: i === 7 ? "text/html" : "*/*", ...(i !== 5 && { "X-App": "shop" }) },
  }));
  const converted = convert(calls);
  assertEquals(converted.plan.defaults!.http!.headers, { Accept: "*/*", "X-App": "shop" });
  const own = requestsOf(converted).map(({ headers }) => headers);
  assertEquals([own[5], own[7]], [{ "X-App": null }, { Accept: "text/html" }]);
  assertEquals(own.filter((headers) => headers !== undefined).length, 2);
});

Deno.test("convertHar keeps conditions that guard writes", () => {
  const headers = { "If-None-Match": "*" };
  const converted = convert([
    { request: "PUT /notes/a", headers, status: 201 },
    { request: "GET /notes/a", headers: { "If-None-Match": '"v1"' } },
    { request: "HEAD /notes/a", headers },
  ]);
  assertEquals(requestsOf(converted).map((request) => request.headers), [
    { "If-None-Match": "*" },
    undefined,
    undefined,
  ]);
});

Deno.test("convertHar excludes headers that clients cannot send and warns about them", () => {
  const headers = { "Accept;charset=UTF-8": "*/*", "X-Split": "a\r\nHost: evil", "X-Good": "b" };
  const converted = convert([{ request: "GET /a", headers }]);
  assertEquals(requestsOf(converted)[0].headers, { "X-Good": "b" });
  const note = noteOf(converted, "unsendable-headers");
  assertStringIncludes(note, '"Accept;charset=UTF-8" in request 1 (GET /a), "X-Split" in');
});

Deno.test("convertHar excludes a content type that contains a line break and warns about it", () => {
  const { exchanges: [exchange] } = recordingOf([{ request: "POST /a" }]);
  const body = (body: Exchange["request"]["body"], header = "text/x\nX-Evil: 1") =>
    convertHar(
      recordingWith([{
        ...exchange,
        request: {
          ...exchange.request,
          headers: [{ name: "Content-Type", value: header }],
          body,
        },
      }]),
      {},
    );
  const text = body({ kind: "text", text: "a", contentType: "text/x\r\nX-Evil: 1" });
  assertEquals(requestsOf(text)[0], {
    name: "POST /a",
    method: "POST",
    url: "/a",
    body: "a",
    tags: { recorded: "1" },
  });
  assertStringIncludes(
    noteOf(text, "unsendable-headers"),
    '"Content-Type" in request 1 (POST /a)',
  );
  const base64 = body({ kind: "base64", base64: "AAE=", contentType: "image/x\0" }, "image/png");
  assertEquals(requestsOf(base64)[0].body, { base64: "AAE=" });
  assertEquals(requestsOf(base64)[0].headers, { "Content-Type": "image/png" });
  const part = { name: "f", base64: "AAE=", filename: "x", contentType: "image/x\ny" };
  const parts = body({ kind: "multipart", parts: [part], contentType: "multipart/form-data" });
  assertEquals(requestsOf(parts)[0].body, {
    multipart: [{ name: "f", base64: "AAE=", filename: "x" }],
  });
});

Deno.test("convertHar drops a multipart content type if the body was not recorded", () => {
  const type = (value: string) =>
    requestsOf(convert([{ request: "POST /a", headers: { "Content-Type": value } }]))[0].headers;
  assertEquals(type("multipart/form-data; boundary=----x"), undefined);
  assertEquals(type("application/json"), { "Content-Type": "application/json" });
});

Deno.test("convertHar writes each kind of body, and its content type unless the body implies it", () => {
  const body = (body: Exchange["request"]["body"], type?: string): Request => {
    const { exchanges: [exchange] } = recordingOf([{ request: "POST /" }]);
    const headers = type ? [{ name: "Content-Type", value: type }] : [];
    return requestsOf(convertHar(
      recordingWith([{ ...exchange, request: { ...exchange.request, headers, body } }]),
      {},
    ))[0];
  };
  const json = { kind: "json", value: { a: "${x}" }, text: '{"a":"${x}"}' } as const;
  assertEquals(body({ ...json, contentType: "application/json" }).body, { json: { a: "$${x}" } });
  assertEquals(body({ ...json, contentType: "application/x+json" }).body, {
    json: { a: "$${x}" },
    content_type: "application/x+json",
  });
  assertEquals(body({ ...json, contentType: "application/x+json" }, "application/x+json").body, {
    json: { a: "$${x}" },
  });
  const form = { kind: "form", contentType: "application/x-www-form-urlencoded" } as const;
  assertEquals(body({ ...form, text: "b=1&a=%24%7Bx%7D" }).body, {
    form: { b: "1", a: "$${x}" },
  });
  assertEquals(body({ ...form, text: "b=1&b=2" }).body, {
    form: [["b", "1"], ["b", "2"]],
  });
  assertEquals(body({ ...form, text: "1=x&0=y" }).body, {
    form: [["1", "x"], ["0", "y"]],
  });
  const parts = [
    { name: "a", value: "1" },
    { name: "f", base64: "AAE=", filename: "${x}.bin", contentType: "image/png" },
  ];
  const multipart = {
    kind: "multipart",
    parts,
    contentType: "multipart/form-data; boundary=b",
  } as const;
  assertEquals(body(multipart, "multipart/form-data; boundary=b"), {
    name: "POST /",
    method: "POST",
    url: "/",
    body: {
      multipart: [
        { name: "a", value: "1" },
        { name: "f", base64: "AAE=", filename: "$${x}.bin", content_type: "image/png" },
      ],
    },
    tags: { recorded: "1" },
  });
  assertEquals(body({ kind: "text", text: "a ${x}", contentType: "text/csv" }), {
    name: "POST /",
    method: "POST",
    url: "/",
    headers: { "Content-Type": "text/csv" },
    body: "a $${x}",
    tags: { recorded: "1" },
  });
  assertEquals(body({ kind: "base64", base64: "AAE=", contentType: "image/png" }).body, {
    base64: "AAE=",
    content_type: "image/png",
  });
});

Deno.test("--checks status adds a threshold that fails the run if a check fails", () => {
  assertEquals(convert([{ request: "GET /a" }], { checks: "status" }).plan.thresholds, {
    checks: ["rate==1"],
  });
  assertEquals(convert([{ request: "GET /a" }]).plan.thresholds, undefined);
  const unchecked = convert([
    { request: "GET /old", status: 302, response_headers: { Location: "/new" } },
  ], { checks: "status" });
  assertEquals(unchecked.plan.thresholds, undefined, "there is no check");
});

/** Returns the pause that `convert` writes for a duration. */
const pauseOf = (duration: string) => ({ type: "constant", duration });

Deno.test("--group page groups consecutive calls of one page under the page title", () => {
  const recording = recordingOf(
    ["/a", "/b", "/c", "/d"].map((path) => ({ request: `GET ${path}` })),
  );
  const pages = ["p1", "p1", undefined, "p2"];
  const exchanges = recording.exchanges.map((exchange, i) => ({ ...exchange, page: pages[i] }));
  const titled = { ...recording, exchanges, pages: new Map([["p1", "Home"]]) };
  const flow = flowOf(convertHar(titled, { groupByPage: true, thinkTime: true }));
  assertEquals(
    flow.map((step) => step.group?.name ?? step.request?.url ?? step.think_time),
    ["Home", pauseOf("900ms"), "/c", pauseOf("900ms"), "p2"],
  );
  assertEquals(flow[0].group!.steps.map((step) => step.request?.url ?? step.think_time), [
    "/a",
    pauseOf("900ms"),
    "/b",
  ]);
});

Deno.test("--group page removes `::` from group names", () => {
  const recording = recordingOf([{ request: "GET /a" }]);
  const exchanges = recording.exchanges.map((exchange) => ({ ...exchange, page: "p1" }));
  const titled = { ...recording, exchanges, pages: new Map([["p1", "::error::Shop"]]) };
  const [step] = flowOf(convertHar(titled, { groupByPage: true }));
  assertEquals(step.group?.name, ":error:Shop");
});

Deno.test("the header of a plan suggests checks and thresholds only if the plan has no thresholds", () => {
  const hasLine = (converted: { readonly header: readonly string[] }) =>
    converted.header.some((line) => line.startsWith("- checks, thresholds:"));
  assert(hasLine(convert([{ request: "GET /a" }])));
  assert(!hasLine(convert([{ request: "GET /a" }], { checks: "status" })));
});

Deno.test("convertHar warns if the recording lacks credentials, response bodies or request bodies", () => {
  const recording = recordingOf([{ request: "POST /a" }, {
    request: "GET /b",
    type: "application/json",
  }]);
  const [first, second] = recording.exchanges;
  const without = convertHar({ ...recording, hasCredentials: false, hasBodies: false }, {});
  assert(noteOf(without, "sanitized").includes("request 1 (POST /a), request 2 (GET /b)"));
  assertEquals(
    noteOf(without, "no-response-bodies"),
    "the HAR contains no response bodies, so no values in them could be correlated; " +
      "export the HAR with content",
  );
  const partly = recordingWith([
    { ...first, request: { ...first.request, bodyMissing: true } },
    { ...second, response: { ...second.response, size: 10 } },
  ]);
  const converted = convertHar(partly, {});
  assertStringIncludes(noteOf(converted, "no-response-bodies"), ": request 2 (GET /b); export");
  assertStringIncludes(noteOf(converted, "missing-bodies"), ": request 1 (POST /a); write");
});

Deno.test("convertHar throws an error if the recording contains no call to send", () => {
  const recording = recordingOf([{ request: "GET /a.css", type: "text/css" }]);
  assertThrows(
    () => convertHar(recording, {}, "x.har"),
    InputError,
    "it contains no call to send (static assets: 1); expected",
  );
  assertThrows(
    () => convertHar(recordingOf([]), {}),
    InputError,
    "HAR: it contains no calls; expected",
  );
  const skipped = [{ index: 0, place: { offset: 0, line: 1, column: 1 }, reason: "no url" }];
  assertThrows(
    () => convertHar({ ...recording, skipped }, {}),
    InputError,
    "(static assets: 1; unreadable: 1, the first is entry 1: no url); expected",
  );
  assertThrows(
    () => convertHar(recordingOf([{ request: "GET /" }]), { origins: ["x.example"] }),
    InputError,
    "no call to send (other origin: 1)",
  );
});

Deno.test("convertHar skips a page that is nested too deeply and warns about it", () => {
  const token = "a1B2c3D4e5F6g7H8i9J0";
  const field = `<input name=t value="${token}">`;
  const page = "<div>".repeat(400_000) + "</b>".repeat(400_000) + field;
  const call = (html: string): CaseCall[] => [
    { request: "GET /a", text: html, type: "text/html" },
    { request: `GET /b?t=${token}` },
  ];
  const { result: converted, seconds } = measureCpu(() => convert(call(page)));
  assert(seconds < 10, `${seconds} s`);
  assertMatch(noteOf(converted, "unread-markup"), /1,000 levels deep.*: request 1 \(GET \/a\);/);
  const shallow = convert(call("<div>".repeat(100) + field));
  assertEquals(noteOf(shallow, "unread-markup"), "");
  assertEquals(requestsOf(shallow)[0].extract?.[0].type, "css");
});
