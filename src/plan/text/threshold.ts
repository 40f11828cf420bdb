import { durationMs } from "../../base/format.ts";
import type { MetricKind } from "./metrics.ts";

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
  /**
   * Value to compare with: milliseconds for trends, 0 to 1 for rates, otherwise in the unit of the
   * metric.
   */
  readonly value: number;
  /**
   * True if the value has a unit of time, such as `1.5s`. Only trends can be compared with such a
   * value.
   */
  readonly timed: boolean;
}

/** The aggregations that a threshold can use, for each kind of metric. */
export const AGGREGATIONS: Readonly<Record<MetricKind, readonly Aggregation[]>> = {
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
 * import { parseThreshold } from "./threshold.ts";
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
