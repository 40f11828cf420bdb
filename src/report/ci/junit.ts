import { safeText } from "../../base/safe_text.ts";
import type { CheckStats } from "../../engine/summary/flow_stats.ts";
import type { Summary, ThresholdVerdict } from "../../engine/summary/summary.ts";
import { checkFailure, failureReason, groupPath, incompleteness } from "../summary_words.ts";

interface TestCase {
  readonly classname: string;
  readonly name: string;
  /** Reason why the test case failed. Absent if it did not fail. */
  readonly failure?: string;
  /** Reason why the test case was not evaluated. Absent if it was not skipped. */
  readonly skipped?: string;
}

/**
 * Formats a run as JUnit XML with a test case for each threshold and each check. The test case of a
 * check fails if the check failed at least once. If the run failed as a whole, regardless of its
 * thresholds, adds a failed test case named `run`. If the run is incomplete, adds a test case for
 * each reason: a failed one if the run did less than planned, otherwise a skipped one.
 */
export function junitXml(summary: Summary): string {
  const { name, duration_ms, started_at, thresholds, checks } = summary;
  const whole = runCases(summary);
  const suites: [string, TestCase[]][] = [
    ...(whole.length > 0 ? [["run", whole] satisfies [string, TestCase[]]] : []),
    ["thresholds", thresholds.map((verdict) => thresholdCase(verdict, summary))],
    ["checks", checks.map(checkCase)],
  ];
  const cases = suites.flatMap(([, list]) => list);
  const time = (duration_ms / 1_000).toFixed(3);
  const open = element("testsuites", { name: name || "rehearse", ...counts(cases), time });
  const timestamp = started_at.slice(0, 19);
  const written = suites.map(([name, list]) =>
    `  ${
      element("testsuite", { name, ...counts(list), skipped: skipped(list), time, timestamp })
    }\n` +
    list.map(testCase).join("") + "  </testsuite>\n"
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${open}\n${written.join("")}</testsuites>\n`;
}

/**
 * Returns the test cases about the whole run: a failed one if the run failed regardless of its
 * thresholds, and one for each reason why the run is incomplete.
 */
function runCases(summary: Summary): TestCase[] {
  const { failure, incomplete: fewer = [] } = summary;
  const incomplete = incompleteness(summary).map((reason): TestCase => ({
    classname: "run",
    name: `complete: ${reason}`,
    [fewer.includes(reason) ? "failure" : "skipped"]: "the run is incomplete",
  }));
  return failure === undefined
    ? incomplete
    : [{ classname: "run", name: "run", failure }, ...incomplete];
}

function thresholdCase(verdict: ThresholdVerdict, { shards }: Summary): TestCase {
  const { metric, expression, passed, value } = verdict;
  const base = { classname: "thresholds", name: `${metric}: ${expression}` };
  if (passed === null) {
    const reason = shards[0].shard === "1/1"
      ? "not evaluated with `--once`"
      : "not evaluated: run `rehearse merge` to evaluate all shards";
    return { ...base, skipped: reason };
  }
  if (!passed) return { ...base, failure: failureReason(verdict) };
  return value === null ? { ...base, skipped: "no samples" } : base;
}

function checkCase(check: CheckStats): TestCase {
  const { name, scenario, group, passes, fails } = check;
  const base = { classname: `checks.${groupPath(scenario, group)}`, name };
  if (fails > 0) return { ...base, failure: checkFailure(check) };
  return passes === 0 ? { ...base, skipped: "not evaluated" } : base;
}

function counts(cases: readonly TestCase[]) {
  const failures = cases.filter(({ failure }) => failure !== undefined).length;
  return { tests: cases.length, failures, errors: 0 };
}

function skipped(cases: readonly TestCase[]): number {
  return cases.filter(({ skipped }) => skipped !== undefined).length;
}

function testCase({ classname, name, failure, skipped }: TestCase): string {
  const open = element("testcase", { classname, name });
  const [tag, message] = failure === undefined ? ["skipped", skipped] : ["failure", failure];
  if (message === undefined) return `    ${open.slice(0, -1)}/>\n`;
  return `    ${open}\n      ${element(tag, { message }).slice(0, -1)}/>\n    </testcase>\n`;
}

function element(name: string, attributes: Readonly<Record<string, string | number>>): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escape(value)}"`);
  return `<${name}${written.join("")}>`;
}

/** Escapes text for XML. Characters that XML forbids become visible escape sequences. */
function escape(value: string | number): string {
  return safeText(String(value)).replaceAll("&", "&amp;").replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
