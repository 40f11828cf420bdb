import { count, formatMs, formatNumber, perSecond, plural, sparkline } from "../../base/format.ts";
import { safeText } from "../../base/safe_text.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { hidePasswords } from "../../plan/text/user_info.ts";
import { drawFlow } from "./flow_tree.ts";
import type { PlanFacts, ScenarioFacts } from "./plan_facts.ts";

/**
 * Maximum number of steps or choices to draw for each list, unless the user requests all of them.
 */
const SHOWN = 20;

/** Formats the facts about a plan as text, with its flows as diagrams. */
export function inspectionText(facts: PlanFacts, plan: Plan, showsAll: boolean): string {
  const limit = showsAll ? Infinity : SHOWN;
  const lines = [
    facts.name || "Unnamed plan",
    ...table([
      ["targets", targetText(facts)],
      ["duration", durationText(facts)],
      ["requests", requestsText(facts)],
      ["peak", peakText(facts)],
      ["VUs", `at most ${count(facts.maxVus)}`],
      ["reads", facts.filesRead.join(", ")],
      ["writes", facts.filesWritten.join(", ")],
      [
        "thresholds",
        facts.thresholds.join(", ") || "none: a run fails only if no request gets a response",
      ],
    ]),
    ...(facts.rates.length === 0 || isConstant(facts.rates) ? [] : [
      "",
      `iterations per second over ${formatMs(facts.seconds * 1_000)}:`,
      `  ${sparkline(facts.rates)}`,
    ]),
  ];
  for (const [title, flow] of [["setup", plan.setup], ["teardown", plan.teardown]] as const) {
    if (flow !== undefined) lines.push("", title, ...drawFlow(flow, limit));
  }
  for (const scenario of facts.scenarios) {
    lines.push("", `${scenario.name} (${scenarioText(scenario)})`);
    lines.push(...drawFlow(plan.scenarios[scenario.name].flow, limit));
  }
  return lines.map((line) => safeText(hidePasswords(line)) + "\n").join("");
}

function isConstant(rates: readonly number[]): boolean {
  const most = Math.max(...rates);
  return most - Math.min(...rates) < most / 1_000;
}

function table(rows: readonly (readonly [string, string])[]): string[] {
  return rows.filter(([, text]) => text !== "")
    .map(([name, text]) => `  ${name.padEnd(12)}${text}`);
}

function targetText({ targets, needsBaseUrl }: PlanFacts): string {
  return [...targets, ...(needsBaseUrl ? ["not set: relative URLs need `--base-url URL`"] : [])]
    .join(", ");
}

function durationText({ seconds, scenarios }: PlanFacts): string {
  const isLimit = scenarios.some(({ endSeconds, mayEndEarlier, after }) =>
    (mayEndEarlier || after !== undefined) && endSeconds === seconds
  );
  return (isLimit ? "at most " : "") + formatMs(seconds * 1_000);
}

function requestsText({ requests, scenarios }: PlanFacts): string {
  if (requests !== undefined) return `about ${count(requests)}, without redirects`;
  return scenarios.some(({ iterations }) => iterations === undefined)
    ? "depends on the response times of the target"
    : "depends on the responses";
}

function peakText({ peakRequestRate, scenarios }: PlanFacts): string {
  if (peakRequestRate !== undefined) return `${perSecond(peakRequestRate)} requests`;
  return scenarios.some(({ peakRate }) => peakRate === undefined)
    ? "depends on the response times of the target"
    : "depends on the responses";
}

function scenarioText(scenario: ScenarioFacts): string {
  const { executor, after, startSeconds, maxVus, iterations, peakRate, requestsPerIteration } =
    scenario;
  const { min, max, mean } = requestsPerIteration;
  const range = min === max
    ? plural(min, "request")
    : mean !== undefined
    ? `${formatNumber(mean)} requests on average`
    : max === Infinity
    ? `at least ${plural(min, "request")}`
    : `${count(min)} to ${plural(max, "request")}`;
  return [
    executor,
    ...(after !== undefined
      ? [`starts after ${after}`]
      : startSeconds > 0
      ? [`starts at ${formatMs(startSeconds * 1_000)}`]
      : []),
    ...(peakRate === undefined ? [plural(maxVus, "VU")] : [`at most ${perSecond(peakRate)}`]),
    ...(iterations === undefined ? [] : [plural(iterations, "iteration")]),
    `${range} per iteration`,
  ].join(", ");
}
