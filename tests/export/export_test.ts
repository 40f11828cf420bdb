import { assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import fc, { ANY_CHARACTER } from "fast-check";
import { OTHER_NOTES } from "../../src/convert/notes/notes.ts";
import {
  commentText,
  memberOf,
  Names,
  objectKey,
  patternLiteral,
  stringLiteral,
  templateText,
} from "../../src/export/javascript.ts";
import { exportK6 } from "../../src/export/k6.ts";
import { loadPlan } from "../../src/plan/load_plan.ts";
import { converted } from "../convert/har/wire_requests.ts";
import { goldens, goldenScript } from "./goldens.ts";
import { type Respond, sameRequests } from "./same_requests.ts";

const OPTIONS = { plan: "plan.yaml", version: "0", filePath: (path: string) => path };

/** A plan with thresholds that k6 does not have, and with a setting that k6 does not have. */
const ODD = `
defaults: {http: {base_url: "http://t.example", hosts: {a.example: "unix:/x"}}}
data: {rows: {type: inline, rows: [{a: 1}], pick: shuffle}}
scenarios:
  main: {executor: per-vu-iterations, vus: 1, iterations: 1, flow: [{metric: {name: x, type: counter}}]}
thresholds:
  "http_reqs{name:a,error_kind:timeout}": [count<1]
  http_req_latency_corrected: [p(95)<1s]
  http_req_retries: [count<5]
  'checks{check:"a, b"}': [rate>0.9]
  x: [count>0]
  http_reqs: [count>0]
`;

/** Exports the plan whose YAML source is `text`. */
function exported(text: string) {
  const { plan, diagnostics } = loadPlan(text);
  assertEquals(diagnostics.filter(({ severity }) => severity === "error"), []);
  return exportK6(plan!, OPTIONS);
}

Deno.test("export k6 emits every note code", () => {
  const { notes } = exported(ODD);
  assertEquals(
    [...new Set(notes.map(({ code }) => code))].sort(),
    Object.keys(OTHER_NOTES).filter((code) => code.startsWith("k6-")).sort(),
  );
});

Deno.test("a script has what it cannot express as a comment with its YAML, and a note with the reason", () => {
  const { text, notes } = exported(`
scenarios:
  main:
    executor: per-vu-iterations
    vus: 1
    iterations: 1
    flow:
      - request:
          url: http://127.0.0.1/
          extract:
            - {type: jsonpath, name: long, expression: "$[?match(@.x, 'b')]"}
            - {type: jsonpath, name: deep, expression: "$..id"}
            - {type: jsonpath, name: key, expression: "$.x[?@.id == 'b']", take: key}
          checks:
            - {type: jsonpath, expression: "$[1:2]", count: 2}
            - {type: xpath, name: third, expression: "//a"}
            - {type: jsonpath, name: exported, expression: "$[?@.a == 1]", exists: true}
      - if: {condition: {type: css, expression: "a:is(.x)"}, then: [{request: {url: "http://ada:s3cret@127.0.0.1/x"}}]}
      - foreach: {items: [1], as: item, steps: [{request: {url: "http://127.0.0.1/\${item}"}}]}
      - during: {duration: 1s, steps: [{think_time: 1s}]}
      - metric: {name: count, type: counter}
      - request: {url: "http://127.0.0.1/\${date(vars.format)}"}
      - set: {hash: "\${hex(vars.format)}"}
variables: {format: iso}
`);
  assertEquals(
    notes.map(({ code, subject, message }) => [code, subject, message]),
    [
      ["long", "the filter of `$[?match(@.x, 'b')]` has a function or selects several values"],
      ["deep", "`$..id` selects several members"],
      ["key", "k6 has no names of members at `$.x[?@.id == 'b']`"],
      ["GET http://127.0.0.1/: jsonpath expression $[1:2] count 2", "`$[1:2]` has a slice"],
      ["GET http://127.0.0.1/: third", "k6 has no XPath such as `//a`"],
      ["main: if", "k6 may not support a pseudo-class in `a:is(.x)`"],
      ["main: foreach", "scripts have no `foreach`"],
      ["main: during", "scripts have no `during`"],
      ["main: metric", "scripts have no `metric`"],
      ["main: request", "the format or the offset of `${date(vars.format)}` is not a literal"],
      ["main: set", "scripts have no function `hex`"],
    ].map(([subject, message]) => ["k6-omitted", subject, message]),
  );
  for (
    const comment of [
      "  // - type: jsonpath\n  //   name: long\n",
      "  // - type: xpath\n  //   name: third\n",
      "  // - during:\n  //     duration: 1s\n",
      "//           url: http://ada:******@127.0.0.1/x\n",
    ]
  ) assertStringIncludes(text, comment);
  assertStringIncludes(text, "exported: (r) => query(r, ");
  assertEquals(text.includes("s3cret"), false);
});

Deno.test("a script omits thresholds that k6 cannot evaluate, and keeps the others", () => {
  const { text, notes } = exported(ODD);
  assertEquals(/ thresholds: (\{.*\}),$/m.exec(text)?.[1], '{ http_reqs: ["count>0"] }');
  assertEquals(
    notes.map(({ message }) => message).filter((one) => /has no metric|select/.test(one)),
    [
      'k6 cannot select the value "timeout" of the tag `error_kind`',
      "k6 has no metric `http_req_latency_corrected`",
      "k6 has no metric `http_req_retries`",
      'k6 cannot select the value "a, b" of the tag `check`',
      "k6 has no metric `x`",
    ],
  );
});

Deno.test("rates become whole numbers per time unit, as k6 requires", () => {
  const rates = (rate: string, unit: string) => {
    const { text } = exported(`
scenarios:
  main:
    executor: constant-arrival-rate
    rate: ${rate}
    time_unit: ${unit}
    duration: 10s
    pre_allocated_vus: 1
    flow: [{request: {url: "http://t.example/"}}]
`);
    return /rate: (\d+),\s+timeUnit: "(\w+)"/.exec(text)!.slice(1).join(" per ");
  };
  assertEquals(rates("20", "1s"), "20 per 1s");
  assertEquals(rates("2.5", "1s"), "25 per 10s");
  assertEquals(rates("0.0334605", "1s"), "334605 per 2777h46m40s");
  assertEquals(rates("0.1", "1m"), "1 per 10m");
  assertEquals(rates("1e-7", "1s"), "1 per 2777h46m40s");
  assertEquals(rates("1500.5", "500ms"), "15005 per 5s");
});

Deno.test("a note states each setting that a script does not have", () => {
  const { notes } = exported(`
defaults:
  http:
    base_url: http://t.example
    proxy: false
    connect_timeout: 1s
    version: http1
    hosts: {a.example: "unix:/x", b.example: 127.0.0.1}
    tls: {insecure_skip_verify: true, min_version: "1.3"}
data: {rows: {type: inline, rows: [{a: 1}], pick: shuffle}}
scenarios:
  first:
    executor: constant-vus
    vus: 1
    duration: 1s
    pacing: {iterations_per_second: 1}
    throttle: {requests_per_second: 2}
    flow: [{request: {url: /a, revalidate: 0.5}}]
  second:
    after: first
    executor: constant-arrival-rate
    rate: 1
    duration: 1s
    arrivals: poisson
    pre_allocated_vus: 1
    flow: [{request: {url: /b, sse: true, checks: [{type: status, equals: 200, name: ok}]}}]
thresholds:
  "checks{name:GET /b}": [rate>0.9]
`);
  assertEquals(notes.map(({ code, subject, message }) => [code, subject, message]), [
    ["k6-omitted", "GET /a", "k6 sends no conditional requests"],
    [
      "k6-changed",
      "GET /b",
      "k6 reads the whole response, not single events: set a short `timeout`",
    ],
    [
      "k6-omitted",
      "scenarios.first.pacing",
      "k6 does not limit the iterations of a VU: set `minIterationDuration`",
    ],
    ["k6-omitted", "scenarios.first.throttle", "k6 limits only the whole test: set `rps`"],
    ["k6-changed", "scenarios.second", "k6 starts iterations at equal intervals"],
    [
      "k6-omitted",
      "scenarios.second.after",
      "k6 cannot wait for another scenario: set its `startTime`",
    ],
    [
      "k6-omitted",
      "checks{name:GET /b}",
      'k6 cannot select the value "GET /b" of the tag `name`',
    ],
    ["k6-omitted", "defaults.http.proxy", "set HTTP_PROXY and HTTPS_PROXY for k6"],
    ["k6-omitted", "defaults.http.connect_timeout", "k6 has only `timeout`"],
    [
      "k6-omitted",
      "defaults.http.version",
      "k6 negotiates the version, and HTTP/2 only over TLS",
    ],
    ["k6-omitted", "defaults.http.tls", "set `tlsAuth` and `tlsVersion`, or SSL_CERT_FILE"],
    ["k6-omitted", "defaults.http.hosts", "k6 cannot connect to a Unix socket"],
    ["k6-changed", "data.rows", "the rows are in their order in the data"],
  ]);
});

/**
 * Generates strings of arbitrary UTF-16 code units, which may include lone surrogates and sequences
 * that could end a JavaScript literal.
 */
const HOSTILE = fc.array(
  fc.oneof(
    fc.string({ unit: ANY_CHARACTER }),
    fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
    fc.constantFrom(
      ...[
        ...["'", '"', "`", "\\", "${", "$", "\n", "\r", "\u2028", "\u2029", "</script>", "<!--"],
        "-->",
      ],
      ...[
        ...["*/", "//", "';alert(1);'", "`;alert(1);`", "${alert(1)}", "\\'", "\0", "__proto__"],
        "]]>",
      ],
    ),
  ),
  { maxLength: 12 },
).map((parts) => parts.join(""));

const evaluate = (code: string): unknown => new Function(`"use strict"; return (${code});`)();

Deno.test("a string literal fits on one line and evaluates to the original text", () => {
  fc.assert(fc.property(HOSTILE, (text) => {
    const code = stringLiteral(text);
    assertEquals(evaluate(code), text);
    assertSafe(code);
  }));
});

Deno.test("text in a template literal evaluates to the original text, even before an expression", () => {
  fc.assert(fc.property(HOSTILE, HOSTILE, (before, after) => {
    const code = "`" + templateText(before) + "${1}" + templateText(after) + "`";
    assertEquals(evaluate(code), `${before}1${after}`);
    assertSafe(code);
  }));
});

Deno.test("objectKey and memberOf generate code for an object key or member access with any name, even a hostile one", () => {
  fc.assert(fc.property(HOSTILE, (name) => {
    const code = `({ ${objectKey(name)}: 1 })`;
    assertEquals(Object.getOwnPropertyNames(evaluate(code)), [name]);
    const object = `Object.fromEntries([[${stringLiteral(name)}, 2]])`;
    assertEquals(evaluate(memberOf(object, name)), 2);
    assertSafe(code);
  }));
});

Deno.test("a generated regular expression matches the same text as its pattern", () => {
  fc.assert(fc.property(HOSTILE, (pattern) => {
    let expected: RegExp;
    try {
      expected = new RegExp(pattern);
    } catch {
      return;
    }
    const code = patternLiteral(pattern);
    const found = evaluate(code) as RegExp;
    assertEquals(found.source, expected.source);
    assertSafe(code);
  }));
  assertEquals(patternLiteral(String.raw`id=(\d+)`, "g"), String.raw`/id=(\d+)/g`);
  assertEquals(patternLiteral("a/b"), 'new RegExp("a/b")');
  assertEquals(patternLiteral("*/"), 'new RegExp("*/")');
});

Deno.test("text in a comment stays on one line", () => {
  fc.assert(fc.property(HOSTILE, (text) => {
    const line = commentText(text);
    assertNotMatch(line, /[\n\r\u2028\u2029\0]|<[/!]/);
    assertEquals(evaluate(`1 // ${line}\n`), 1);
  }));
  assertEquals(commentText("x".repeat(400)).length, 301);
});

Deno.test("generated names are valid and unique identifiers", () => {
  const names = new Names(["taken"]);
  const given = [
    ...["log in", "log in", "taken", "class", "", "ü", "1st", "await", "__ENV", "$", "a-b.c"],
  ];
  const assigned = given.map((text) => names.take(text, "other"));
  assertEquals(new Set(assigned).size, given.length);
  assertEquals(assigned.slice(0, 3), ["logIn", "logIn2", "taken2"]);
  for (const name of assigned) assertMatch(name, /^[A-Za-z_$][\w$]*$/);
  fc.assert(fc.property(HOSTILE, (text) => {
    const name = new Names().take(text, "value");
    assertEquals(evaluate(`(() => { let ${name} = 3; return ${name}; })()`), 3);
  }));
});

function assertSafe(code: string): void {
  assertNotMatch(code, /[\p{Cc}\u2028\u2029\ufeff]|<[/!]|<script/iu);
  assertEquals(code.isWellFormed(), true);
}

for (const golden of goldens()) {
  Deno.test(`export k6 writes the golden script for ${golden.name}.yaml`, async () => {
    assertEquals(await goldenScript(golden), await Deno.readTextFile(golden.script));
  });
}

const HAR = new URL("../../testdata/har/", import.meta.url);

for (const { name } of Deno.readDirSync(new URL("golden/labelled/", HAR))) {
  const plan = (loadPlan(Deno.readTextFileSync(new URL(`golden/labelled/${name}`, HAR))))
    .plan!;
  Deno.test(`the k6 script exported from the plan golden/labelled/${name} sends the same requests as the plan`, async () => {
    const har = Deno.readTextFileSync(new URL(`labelled/${name.replace(/yaml$/, "har")}`, HAR));
    const requests = await sameRequests(plan, () => replay(JSON.parse(har)));
    assertEquals(requests.length > 0, true);
    await sameRequests(plan, () => () => ({ status: 200, body: "" }));
  });
}

interface Recording {
  readonly log: {
    readonly entries: readonly {
      readonly request: { readonly method: string; readonly url: string };
      readonly response: {
        readonly status: number;
        readonly headers: readonly { readonly name: string; readonly value: string }[];
        readonly content: { readonly text?: string };
      };
    }[];
  };
}

/**
 * Creates a server that returns the recorded responses to each method and path in order, and then
 * repeats the last one.
 */
function replay({ log: { entries } }: Recording): Respond {
  const key = (method: string, url: string) => `${method} ${new URL(url).pathname}`;
  const lists = Map.groupBy(entries, ({ request }) => key(request.method, request.url));
  const used = new Map<string, number>();
  return (method, url) => {
    const list = lists.get(key(method, url)) ?? [];
    const at = used.get(key(method, url)) ?? 0;
    used.set(key(method, url), at + 1);
    const response = list[Math.min(at, list.length - 1)]?.response;
    return {
      status: response?.status ?? 404,
      body: response?.content.text ?? "",
      // Attributes of cookies are left to the proof with k6.
      headers: (response?.headers ?? []).map((
        { name, value },
      ) => [
        name,
        name.toLowerCase() === "set-cookie" ? value.replace(/;.*$/s, "; Path=/") : value,
      ]),
    };
  };
}

for (const name of ["formraw.har", "k6_487.har", "query.har", "upload.har"]) {
  Deno.test(`the k6 script exported from the plan for bytes/${name} sends the recorded bytes`, async () => {
    const { plan } = await converted(Deno.readTextFileSync(new URL(`bytes/${name}`, HAR)));
    const requests = await sameRequests(plan, () => () => ({ status: 200, body: "{}" }));
    assertEquals(requests.length > 0, true);
  });
}
