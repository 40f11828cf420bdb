import { isMap } from "../../base/exact_number.ts";
import { durationMs } from "../../base/format.ts";
import { didYouMean } from "../../base/nearest.ts";
import { type MetricKind, METRICS, TAGS } from "../text/metrics.ts";
import type { CheckContext } from "./check_context.ts";

/** How a threshold aggregates the samples of a metric. `p` is a percentile. */
export type Aggregation = "count" | "rate" | "value" | "avg" | "min" | "med" | "max" | "p";
/** A comparison operator in a threshold. */
export type Operator = "<" | "<=" | ">" | ">=" | "==" | "!=";

/** A parsed threshold expression, such as `p(95)<400`. */
export interface ThresholdExpression {
  readonly aggregation: Aggregation;
  /** Percentile from 0 to 100. Set only for the aggregation `p`. */
  readonly percentile?: number;
  readonly operator: Operator;
  /** Milliseconds for trends, 0 to 1 for rates, otherwise in the unit of the metric. */
  readonly value: number;
  /** Whether the value has a unit, such as `1.5s`. Only trends can be compared with it. */
  readonly timed: boolean;
}

const AGGREGATIONS: Readonly<Record<MetricKind, readonly Aggregation[]>> = {
  counter: ["count", "rate"],
  rate: ["rate"],
  gauge: ["value"],
  trend: ["avg", "min", "med", "max", "p"],
};

const SHAPE = /^\s*([a-z]+)(?:\(([^)]*)\))?\s*(<=?|>=?|===?|!=)\s*(\S+)\s*$/;
const NUMBER = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i;

/**
 * Parses a threshold expression in k6 syntax. Throws a `SyntaxError` that states the expected form.
 *
 * @example
 * ```ts
 * import { assertEquals, assertThrows } from "@std/assert";
 * import { parseThreshold } from "./thresholds.ts";
 *
 * assertEquals(parseThreshold("p(95)<1.5s"), {
 *   aggregation: "p",
 *   percentile: 95,
 *   operator: "<",
 *   value: 1500,
 *   timed: true,
 * });
 * assertThrows(() => parseThreshold("p95<400"), SyntaxError, "such as p(95)<400");
 * ```
 */
export function parseThreshold(text: string): ThresholdExpression {
  const [, name, argument, operator, value] = SHAPE.exec(text) ?? [];
  if (value === undefined) throw new SyntaxError(advice(text));
  const percentile = argument === undefined ? undefined : Number(argument);
  const aggregation = name as Aggregation;
  if (!Object.values(AGGREGATIONS).some((known) => known.includes(aggregation))) {
    throw new SyntaxError(`unknown aggregation "${name}": expected ${aggregationNames()}`);
  }
  if ((aggregation === "p") !== (percentile !== undefined)) throw new SyntaxError(advice(text));
  if (aggregation === "p" && !(argument.trim() !== "" && percentile! >= 0 && percentile! <= 100)) {
    throw new SyntaxError(`"p(${argument})" is not a percentile: expected a number from 0 to 100`);
  }
  const timed = !NUMBER.test(value);
  const number = timed ? durationMs(value) : Number(value);
  if (number === undefined || !Number.isFinite(number)) {
    const isPercentage = /^[\d.]+%$/.test(value);
    throw new SyntaxError(
      `"${value}" is not a value: expected ${
        isPercentage ? "a share from 0 to 1 such as 0.01" : "a number or a duration such as 1.5s"
      }`,
    );
  }
  const base = { aggregation, operator: operator.slice(0, 2) as Operator, value: number, timed };
  return percentile === undefined ? base : { ...base, percentile };
}

/**
 * Returns the aggregations of one kind of metric, or of all kinds, as a comma-separated list such
 * as `avg, min, p(95)`.
 */
export function aggregationNames(kind?: MetricKind): string {
  const names = new Set(kind ? AGGREGATIONS[kind] : Object.values(AGGREGATIONS).flat());
  return [...names].map((name) => name === "p" ? "p(95)" : name).join(", ");
}

function advice(text: string): string {
  const percentile = /^\s*p\(?(\d+(?:\.\d+)?)\)?/.exec(text);
  const example = percentile ? `p(${percentile[1]})<400` : "p(95)<400, avg<1.5s, rate<0.01";
  return `not a threshold: expected an aggregation, an operator and a value, such as ${example}`;
}

/** Selects the samples of a metric that have all of the given tags. */
export interface Selector {
  readonly metric: string;
  readonly tags: readonly (readonly [tag: string, value: string])[];
}

const SELECTOR = /^([^{}]*)(?:\{(.*)\})?$/s;
const TAG = /\s*([^:,"]*?)\s*:\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^,"']*?))\s*(?:,|$)/sy;

/**
 * Parses `metric` or `metric{tag:value,…}`. A value that contains a comma must be in quotes. Within
 * double quotes, `\"` is a literal quote. Throws a `SyntaxError` that states the expected form.
 */
export function parseSelector(text: string): Selector {
  const [, metric, inner] = SELECTOR.exec(text.trim()) ?? [];
  if (metric === undefined || metric.trim() === "") {
    throw new SyntaxError("not a selector: expected a metric, or metric{tag:value,…}");
  }
  return { metric: metric.trim(), tags: inner === undefined ? [] : parseTags(inner) };
}

function parseTags(text: string): [string, string][] {
  const tags: [string, string][] = [];
  TAG.lastIndex = 0;
  while (TAG.lastIndex < text.length) {
    const at = TAG.lastIndex;
    const [, tag, double, single, bare] = TAG.exec(text) ?? [];
    if (!tag) {
      throw new SyntaxError(
        `"${text.slice(at)}" is not a tag: expected tag:value pairs, separated by commas`,
      );
    }
    tags.push([tag, double?.replace(/\\(.)/gs, "$1") ?? single ?? bare]);
  }
  return tags;
}

/** Metrics, tags, and expressions valid for the kind of metric. */
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
