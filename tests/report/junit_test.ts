import { assertEquals, assertStringIncludes } from "@std/assert";
import { parseHtml, selectCss } from "../../src/engine/extract/html.ts";
import { githubAnnotations } from "../../src/report/github.ts";
import { junitXml } from "../../src/report/junit.ts";
import { BUSY } from "../support/summary.ts";

Deno.test("thresholds and checks are test cases, counted as JUnit counts", () => {
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
  assertEquals(attribute("failure", "message"), ["513ms came", "failed 104 of 5,000 times"]);
  assertEquals(attribute("skipped", "message"), ["no samples", "never made"]);
  assertEquals(attribute("testcase:nth-child(3)", "classname"), [
    "thresholds",
    "checks.browse › shop › login",
  ]);
});

Deno.test("hostile names leave the XML well-formed", () => {
  const name = `"><testcase/>&\x00\ud800]]>\u202e`;
  const xml = junitXml({ ...BUSY, name, checks: BUSY.checks.map((c) => ({ ...c, name })) });
  assertEquals([...selectCss("testcase", "name", parseHtml(xml))].length, 8);
  assertStringIncludes(xml, "&quot;&gt;&lt;testcase/&gt;&amp;\\x00\\ud800]]&gt;\\u202e");
});

Deno.test("broken thresholds and failed checks are annotations of a GitHub job", () => {
  assertEquals(
    githubAnnotations(BUSY, "plan.yaml"),
    "::error file=plan.yaml,title=Threshold did not hold::" +
      "http_req_duration{name:POST /login}: p(95)<300 was asked, 513ms came\n" +
      "::warning file=plan.yaml,title=Check failed::" +
      "browse: status is 200: failed 104 of 5,000 times\n",
  );
  const good = { ...BUSY, thresholds: BUSY.thresholds.filter((t) => t.passed), checks: [] };
  assertEquals(
    githubAnnotations(good, "plan.yaml"),
    "::notice file=plan.yaml,title=demo shop::4 thresholds held\n",
  );
});

Deno.test("a hostile name starts no annotation of its own", () => {
  const checks = [{ ...BUSY.checks[0], name: "a\n::error::owned\r%" }];
  const lines = githubAnnotations({ ...BUSY, thresholds: [], checks }, "a,b:c").split("\n");
  assertEquals(lines.length, 2);
  assertStringIncludes(lines[0], "file=a%2Cb%3Ac");
  assertStringIncludes(lines[0], "a%0A::error::owned%0D%25");
});
