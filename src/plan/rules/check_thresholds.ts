import { didYouMean } from "../../base/nearest.ts";
import { type MetricKind, METRICS, TAGS } from "../text/metrics.ts";
import { isMap } from "../../base/exact_number.ts";
import {
  aggregationNames,
  AGGREGATIONS,
  parseSelector,
  parseThreshold,
  type Selector,
} from "../text/threshold.ts";
import type { CheckContext } from "./check_context.ts";

/**
 * Checks that the selectors of thresholds use known metrics and tags, and that each expression is
 * valid for the kind of its metric.
 */
export function checkThresholds(context: CheckContext, thresholds: Record<string, unknown>): void {
  for (const selector of Object.keys(thresholds)) {
    context.at(selector, () => {
      const kind = checkSelector(context, selector);
      const list = thresholds[selector];
      if (Array.isArray(list)) list.forEach((item, i) => checkThreshold(context, item, [i], kind));
    });
  }
}

function checkThreshold(
  context: CheckContext,
  item: unknown,
  below: (string | number)[],
  kind: MetricKind | undefined,
): void {
  if (isMap(item)) return checkThreshold(context, item.threshold, [...below, "threshold"], kind);
  if (typeof item !== "string") return;
  try {
    const { aggregation, timed, operator, value } = parseThreshold(item);
    if (kind === undefined) return;
    if (!AGGREGATIONS[kind].includes(aggregation)) {
      const message = `a ${kind} has no aggregation "${aggregation}": expected ${
        aggregationNames(kind)
      }`;
      context.report("bad-aggregation", message, { below });
    } else if (timed && kind !== "trend") {
      const message = `a ${kind} is not a time: expected a number without a unit`;
      context.report("bad-threshold", message, { below });
    } else if (kind === "rate" && (value < 0 || value > 1)) {
      const passes = operator === "!=" || operator.startsWith(value > 1 ? "<" : ">");
      const message = `a rate is from 0 to 1, so this threshold always ${
        passes ? "passes" : "fails"
      }`;
      context.report("bad-threshold", message, {
        below,
        severity: "warning",
        ...(value > 1 && value <= 100 &&
          { hint: `write ${Number((value / 100).toPrecision(12))} for ${value}%` }),
      });
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    context.report("bad-threshold", error.message, { below });
  }
}

function checkSelector(context: CheckContext, text: string): MetricKind | undefined {
  let selector: Selector;
  try {
    selector = parseSelector(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    context.report("bad-selector", error.message, { atKey: true });
    return undefined;
  }
  const kind = METRICS.get(selector.metric) ?? context.ownMetrics.get(selector.metric);
  if (kind === undefined) {
    const known = [...METRICS.keys(), ...context.ownMetrics.keys()];
    const hint = didYouMean(selector.metric, known) || `known metrics: ${known.join(", ")}`;
    context.report("unknown-metric", `unknown metric "${selector.metric}"`, { atKey: true, hint });
  }
  for (const [tag, value] of selector.tags) checkTag(context, tag, value);
  return kind;
}

function checkTag(context: CheckContext, tag: string, value: string): void {
  const values = context.tagValues.get(tag);
  const warn = (message: string, hint: string) =>
    context.report("selects-nothing", `${message}: the threshold would match no samples and fail`, {
      atKey: true,
      hint,
      severity: "warning",
    });
  if (!TAGS.has(tag) && values === undefined) {
    return warn(
      `no sample has the tag "${tag}"`,
      didYouMean(tag, [...TAGS, ...context.tagValues.keys()]),
    );
  }
  if (tag === "status") {
    if (/^([1-9]\d\d|0)$/.test(value)) return;
    return warn(`"${value}" is not a status`, "write a code such as 200, or 0 for no response");
  }
  if (tag === "error_kind" || values?.has(value)) return;
  const group = `::${value}`;
  const hint = tag === "group" && values?.has(group)
    ? `did you mean "${group}"?`
    : didYouMean(value, values ?? []) || listValues([...values ?? []]);
  warn(`the plan has no ${tag} ${JSON.stringify(value)}`, hint);
}

function listValues(values: readonly string[]): string {
  const shown = values.filter((value) => value !== "").slice(0, 10);
  return shown.length === 0 ? "" : `the plan has ${shown.join(", ")}`;
}
