import { assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { parseHtml, selectCss } from "../../src/extract/parse_html.ts";
import type { Summary, ThresholdVerdict } from "../../src/engine/summary/summary.ts";
import { githubAnnotations, junitXml } from "../../src/report/ci.ts";
import { longSummary } from "../builders/long_summary.ts";
import { BUSY } from "../builders/summary.ts";
import { xsdFaults } from "../oracles/xsd.ts";

Deno.test("junitXml writes a test case for each threshold and check", () => {
  const xml = junitXml(BUSY);
  const page = parseHtml(xml);
  const attribute = (selector: string, name: string) => [...selectCss(selector, name, page)];
  assertEquals(attribute("testsuite", "name"), ["thresholds", "checks"]);
  assertEquals(attribute("testsuite", "tests"), ["5", "3"]);
  assertEquals(attribute("testsuite", "failures"), ["1", "1"]);
  assertEquals(attribute("testsuite", "skipped"), ["1", "1"]);
  assertEquals(attribute("testsuites", "tests"), ["8"]);
  assertEquals(attribute("testsuites", "time"), ["10.034"]);
  assertEquals(attribute("testcase", "name"), [
    ...BUSY.thresholds.map(({ metric, expression }) => `${metric}: ${expression}`),
    ...BUSY.checks.map(({ name }) => name),
  ]);
  assertEquals(attribute("failure", "message"), [
    "expected p(95)<300, got 513ms",
    "failed 104 of 5,000 times: GET /products/${product_id} (54 of 4,950), POST /login (50 of 50)",
  ]);
  assertEquals(attribute("skipped", "message"), ["no samples", "not evaluated"]);
  assertEquals(attribute("testcase:nth-child(3)", "classname"), [
    "thresholds",
    "checks.browse › shop › login",
  ]);
});

Deno.test("junitXml adds skipped test cases for an incomplete run and for thresholds that were not evaluated", () => {
  const accepted = [{ flaw: "missing" as const, message: "missing: shard 2/3" }];
  const xml = junitXml({ ...BUSY, accepted });
  const page = parseHtml(xml);
  assertEquals([...selectCss("testsuite", "name", page)], ["run", "thresholds", "checks"]);
  assertStringIncludes(xml, '<testcase classname="run" name="complete: missing: shard 2/3">');
  assertEquals([...selectCss("testsuite:first-child", "skipped", page)], ["1"]);
  const thresholds = BUSY.thresholds.map((t) => ({ ...t, passed: null, value: null }));
  const once = junitXml({ ...BUSY, thresholds });
  assertStringIncludes(once, 'message="not evaluated with `--once`"');
  const shards = [{ ...BUSY.shards[0], shard: "1/3" }];
  const shard = junitXml({ ...BUSY, thresholds, shards });
  assertEquals([...selectCss("testsuite", "failures", parseHtml(once))], ["0", "1"]);
  assertStringIncludes(
    shard,
    'message="not evaluated: run `rehearse merge` to evaluate all shards"',
  );
});

Deno.test("junitXml writes well-formed XML for hostile names", () => {
  const name = `"><testcase/>&\x00\ud800]]>\u202e`;
  const xml = junitXml({ ...BUSY, name, checks: BUSY.checks.map((c) => ({ ...c, name })) });
  assertEquals([...selectCss("testcase", "name", parseHtml(xml))].length, 8);
  assertStringIncludes(xml, "&quot;&gt;&lt;testcase/&gt;&amp;\\x00\\ud800]]&gt;\\u202e");
});

Deno.test("githubAnnotations formats failed thresholds and checks", () => {
  assertEquals(
    githubAnnotations(BUSY, "plan.yaml"),
    "::error file=plan.yaml,title=Threshold failed::" +
      "http_req_duration{name:POST /login}: expected p(95)<300, got 513ms\n" +
      "::warning file=plan.yaml,title=Check failed::" +
      "browse: status is 200: failed 104 of 5,000 times: GET /products/${product_id} " +
      "(54 of 4,950), POST /login (50 of 50)\n" +
      "::warning file=plan.yaml,title=Load::browse: 3 iterations dropped (0.60%25): all 20 VUs " +
      "were busy; raise `max_vus`, or find out why responses are slow\n" +
      "::warning file=plan.yaml,title=Load::browse: 2 iterations cut off: still running when " +
      "`graceful_stop` expired\n",
  );
  const scenarios = BUSY.scenarios.map((s) => ({ ...s, dropped: 0, interrupted: 0 }));
  const thresholds = BUSY.thresholds.filter((t) => t.passed);
  const good = { ...BUSY, thresholds, checks: [], scenarios };
  assertEquals(
    githubAnnotations(good, "plan.yaml"),
    "::notice file=plan.yaml,title=demo shop::4 thresholds passed\n",
  );
});

Deno.test("githubAnnotations escapes a hostile name, so that it cannot end its annotation", () => {
  const checks = [{ ...BUSY.checks[0], name: "a\n::error::owned\r%" }];
  const lines = githubAnnotations({ ...BUSY, thresholds: [], checks, scenarios: [] }, "a,b:c")
    .split("\n");
  assertEquals(lines.length, 2);
  assertStringIncludes(lines[0], "file=a%2Cb%3Ac");
  assertStringIncludes(lines[0], "a%0A::error::owned%0D%25");
});

Deno.test("junitXml shows the expected and actual values of a failed threshold", () => {
  const message = (changes: Partial<ThresholdVerdict>) => {
    const verdict = { ...BUSY.thresholds[0], passed: false, ...changes };
    const xml = junitXml({ ...BUSY, thresholds: [verdict], checks: [] });
    return [...selectCss("failure", "message", parseHtml(xml))];
  };
  assertEquals(message({ value: 512.9 }), ["expected p(95)<400, got 513ms"]);
  assertEquals(message({ value: 512.9, aborted: true }), [
    "expected p(95)<400, got 513ms; it ended the run",
  ]);
  assertEquals(message({ value: null }), [
    "expected p(95)<400, got no samples: the selector matched nothing",
  ]);
});

Deno.test("githubAnnotations and junitXml report a run without a response as failed", () => {
  const dead: Summary = { ...BUSY, passed: false, failure: "no request got a response" };
  const page = parseHtml(junitXml(dead));
  assertEquals([...selectCss("testsuite", "name", page)], ["run", "thresholds", "checks"]);
  assertEquals([...selectCss("failure", "message", page)][0], "no request got a response");
  const annotations = githubAnnotations({ ...dead, thresholds: [], checks: [] }, "plan.yaml");
  assertStringIncludes(
    annotations,
    "::error file=plan.yaml,title=Run failed::no request got a response\n",
  );
});

const XSD = fromFileUrl(new URL("../../testdata/report/junit.xsd", import.meta.url));

/**
 * Summaries of runs: passed, failed, without anything to evaluate, with hostile names, and
 * interrupted.
 */
const RUNS: readonly Summary[] = [
  BUSY,
  longSummary({ seconds: 5, endpoints: 2 }),
  { ...BUSY, passed: false, failure: "no request got a response" },
  { ...BUSY, name: "", thresholds: [], checks: [] },
  {
    ...BUSY,
    name: `"><x/>&\x00\ud800`,
    checks: BUSY.checks.map((check) => ({ ...check, name: `]]>\u202e<testcase>`, group: "::&<" })),
    ending: "interrupted",
  },
];

Deno.test("junitXml writes XML that is valid against the JUnit schema", async () => {
  const xsd = await Deno.readTextFile(XSD);
  for (const summary of RUNS) assertEquals(xsdFaults(junitXml(summary), xsd), []);
});
