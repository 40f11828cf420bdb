import { count, plural } from "../base/format.ts";
import { annotation, safeText } from "../base/safe_text.ts";
import type { CheckStats } from "../engine/summary/flow_stats.ts";
import type { Summary, ThresholdVerdict } from "../engine/summary/summary.ts";
import { runWarnings } from "./run_warnings.ts";
import { failureReason, groupPath, incompleteness, verdictDoubts } from "./summary_words.ts";

/**
 * Formats a run as annotations on a GitHub job: an error if the run failed as a whole, an error for
 * each reason why it is incomplete and for each failed threshold, and a warning for each failed
 * check and each warning about the run. If there are no errors or warnings, returns a single
 * notice.
 */
export function githubAnnotations(summary: Summary, file: string): string {
  const { thresholds, checks, name, failure, incomplete: fewer = [] } = summary;
  const whole = failure === undefined
    ? []
    : [annotation("error", { file, title: "Run failed" }, failure)];
  const missing = fewer.map((reason) =>
    annotation("error", { file, title: "Run incomplete" }, reason)
  );
  const broken = thresholds.filter(({ passed }) => passed === false).map((verdict) =>
    annotation(
      "error",
      { file, title: "Threshold failed" },
      `${verdict.metric}: ${failureReason(verdict)}`,
    )
  );
  const failed = checks.filter(({ fails }) => fails > 0).map((check) =>
    annotation(
      "warning",
      { file, title: "Check failed" },
      `${groupPath(check.scenario, check.group)}: ${check.name}: ${checkFailure(check)}`,
    )
  );
  const doubts = runWarnings(summary).map(({ scenario, text }) =>
    annotation(
      "warning",
      { file, title: "Load" },
      scenario === undefined ? text : `${scenario}: ${text}`,
    )
  );
  const all = [...whole, ...missing, ...broken, ...failed, ...doubts];
  if (all.length > 0) return all.join("");
  const isEvaluated = thresholds.every(({ passed }) => passed !== null);
  const result = thresholds.length > 0
    ? `${plural(thresholds.length, "threshold")} ${isEvaluated ? "passed" : "not evaluated"}`
    : "no thresholds";
  const incomplete = incompleteness(summary).join("; ");
  return annotation(
    "notice",
    { file, title: name || "rehearse" },
    [incomplete || result, ...verdictDoubts(summary)].join("; "),
  );
}

/** Maximum number of requests to list for a failed check. */
const MAX_REQUESTS = 5;

/**
 * Describes how often a check failed, and in which requests, such as
 * `failed 3 of 20 times: GET /a (3 of 10)`. Contains the names of requests, which are not escaped.
 */
function checkFailure({ passes, fails, requests }: CheckStats): string {
  const failed = requests.filter(({ fails }) => fails > 0);
  const listed = failed.slice(0, MAX_REQUESTS).map(({ name, passes, fails }) =>
    `${name} (${count(fails)} of ${count(passes + fails)})`
  );
  const rest = failed.length - listed.length;
  const where = [...listed, ...rest > 0 ? [plural(rest, "more request")] : []].join(", ");
  const often = `failed ${count(fails)} of ${plural(passes + fails, "time")}`;
  return where === "" ? often : `${often}: ${where}`;
}

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

/** Width of text on a GitHub page, in characters. */
export const PAGE_WIDTH = 110;

/** Formats text as a block of Markdown in which no syntax has an effect. */
export function preformatted(text: string): string {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return `<pre>\n${escaped.trim()}\n</pre>\n`;
}
