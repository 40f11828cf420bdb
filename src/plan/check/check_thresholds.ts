import { didYouMean } from "../../base/nearest.ts";
import { type MetricKind, METRICS, TAGS } from "../metrics.ts";
import { isMap } from "../schema/branch.ts";
import { parseSelector, type Selector } from "../selector.ts";
import { aggregationNames, AGGREGATIONS, parseThreshold } from "../threshold.ts";
import type { CheckContext } from "./check_context.ts";

/** Every selector names a metric and known tags, every expression fits the metric's kind. */
export function checkThresholds(walk: CheckContext, thresholds: Record<string, unknown>): void {
  for (const selector of Object.keys(thresholds)) {
    walk.at(selector, () => {
      const kind = checkSelector(walk, selector);
      const list = thresholds[selector];
      if (Array.isArray(list)) list.forEach((item, i) => checkThreshold(walk, item, [i], kind));
    });
  }
}

function checkThreshold(
  walk: CheckContext,
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

function checkSelector(walk: CheckContext, text: string): MetricKind | undefined {
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

function checkTag(walk: CheckContext, tag: string, value: string): void {
  const values = walk.tagValues.get(tag);
  const warn = (message: string, hint: string) =>
    walk.report("selects-nothing", `${message}: the threshold would fail for lack of samples`, {
      atKey: true,
      hint,
      severity: "warning",
    });
  if (!TAGS.includes(tag) && values === undefined) {
    return warn(
      `no sample has the tag "${tag}"`,
      didYouMean(tag, [...TAGS, ...walk.tagValues.keys()]),
    );
  }
  if (tag === "status") {
    if (/^([1-9]\d\d|0)$/.test(value)) return;
    return warn(`"${value}" is not a status`, "write a number such as 200, or 0 for no response");
  }
  if (tag === "error_kind" || values?.has(value)) return;
  const group = `::${value}`;
  const hint = tag === "group" && values?.has(group)
    ? `did you mean "${group}"?`
    : didYouMean(value, values ?? []) || listed([...values ?? []]);
  warn(`the plan has no ${tag} ${JSON.stringify(value)}`, hint);
}

function listed(values: readonly string[]): string {
  const shown = values.filter((value) => value !== "").slice(0, 10);
  return shown.length === 0 ? "" : `there are ${shown.join(", ")}`;
}
