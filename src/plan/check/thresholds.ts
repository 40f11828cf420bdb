import { didYouMean } from "../../base/nearest.ts";
import { type MetricKind, METRICS, TAGS } from "../metrics.ts";
import { isMap } from "../schema/branch.ts";
import { parseSelector, type Selector } from "../selector.ts";
import { aggregationNames, AGGREGATIONS, parseThreshold } from "../threshold.ts";
import { section } from "./variables.ts";
import type { Walk } from "./walk.ts";

/** Every selector names a metric and known tags, every expression fits the metric's kind. */
export function checkThresholds(walk: Walk, thresholds: Record<string, unknown>): void {
  for (const selector of Object.keys(thresholds)) {
    walk.at(selector, () => {
      const kind = checkSelector(walk, selector);
      const list = thresholds[selector];
      if (Array.isArray(list)) list.forEach((item, i) => checkThreshold(walk, item, [i], kind));
    });
  }
}

function checkThreshold(
  walk: Walk,
  item: unknown,
  below: (string | number)[],
  kind: MetricKind | undefined,
): void {
  if (isMap(item)) return checkThreshold(walk, item.threshold, [...below, "threshold"], kind);
  if (typeof item !== "string") return;
  try {
    const { aggregation, timed } = parseThreshold(item);
    if (kind === undefined) return;
    if (!AGGREGATIONS[kind].includes(aggregation)) {
      const message = `a ${kind} has no "${aggregation}": expected ${aggregationNames(kind)}`;
      walk.report("bad-aggregation", message, { below });
    } else if (timed && kind !== "trend") {
      const message = `a ${kind} is not a time: expected a bare number`;
      walk.report("bad-threshold", message, { below });
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    walk.report("bad-threshold", error.message, { below });
  }
}

function checkSelector(walk: Walk, text: string): MetricKind | undefined {
  let selector: Selector;
  try {
    selector = parseSelector(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    walk.report("bad-selector", error.message, { atKey: true });
    return undefined;
  }
  const kind = METRICS.get(selector.metric);
  if (kind === undefined) {
    const hint = didYouMean(selector.metric, METRICS.keys()) ||
      `there are ${[...METRICS.keys()].join(", ")}`;
    walk.report("unknown-metric", `unknown metric "${selector.metric}"`, { atKey: true, hint });
  }
  for (const [tag, value] of selector.tags) checkTag(walk, tag, value);
  return kind;
}

function checkTag(walk: Walk, tag: string, value: string): void {
  const known = [...TAGS, ...walk.tags];
  const scenarios = Object.keys(section(walk.plan, "scenarios"));
  if (!known.includes(tag)) {
    const message = `no sample carries the tag "${tag}": the threshold would never be judged`;
    const hint = didYouMean(tag, known);
    walk.report("selects-nothing", message, { atKey: true, hint, severity: "warning" });
  } else if (tag === "scenario" && !scenarios.includes(value)) {
    const message = `no scenario "${value}": the threshold would never be judged`;
    const hint = didYouMean(value, scenarios);
    walk.report("selects-nothing", message, { atKey: true, hint, severity: "warning" });
  }
}
