import { durationMs } from "../base/duration.ts";
import type { MetricKind } from "./metrics.ts";

/** What of a metric a threshold looks at; `p` is a percentile. */
export type Aggregation = "count" | "rate" | "value" | "avg" | "min" | "med" | "max" | "p";
/** How a threshold compares. */
export type Operator = "<" | "<=" | ">" | ">=" | "==" | "!=";

/** A threshold's expression, such as `p(95)<400`. */
export interface ThresholdExpression {
  readonly aggregation: Aggregation;
  /** From 0 to 100; there for `p` only. */
  readonly percentile?: number;
  readonly operator: Operator;
  /** Milliseconds for trends, 0 to 1 for rates, otherwise in the metric's own unit. */
  readonly value: number;
  /** The value was written as a duration: only a trend can be compared with it. */
  readonly timed: boolean;
}

/** What can be asked of each kind of metric. */
export const AGGREGATIONS: Readonly<Record<MetricKind, readonly Aggregation[]>> = {
  counter: ["count", "rate"],
  rate: ["rate"],
  gauge: ["value"],
  trend: ["avg", "min", "med", "max", "p"],
};

const SHAPE = /^\s*([a-z]+)(?:\(([^)]*)\))?\s*(<=?|>=?|===?|!=)\s*(\S+)\s*$/;
const NUMBER = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i;

/** Reads an expression in k6's grammar. Throws a `SyntaxError` that says what was expected. */
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
    throw new SyntaxError(`"p(${argument})" is no percentile: expected a number from 0 to 100`);
  }
  const timed = !NUMBER.test(value);
  const number = timed ? durationMs(value) : Number(value);
  if (number === undefined || !Number.isFinite(number)) {
    throw new SyntaxError(`"${value}" is no value: expected a number or a duration such as 1.5s`);
  }
  const base = { aggregation, operator: operator.slice(0, 2) as Operator, value: number, timed };
  return percentile === undefined ? base : { ...base, percentile };
}

/** The names of all aggregations, or of those of one kind of metric, as expressions write them. */
export function aggregationNames(kind?: MetricKind): string {
  const names = new Set(kind ? AGGREGATIONS[kind] : Object.values(AGGREGATIONS).flat());
  return [...names].map((name) => name === "p" ? "p(95)" : name).join(", ");
}

function advice(text: string): string {
  const percentile = /^\s*p\(?(\d+(?:\.\d+)?)\)?/.exec(text);
  const such = percentile ? `p(${percentile[1]})<400` : "p(95)<400, avg<1.5s, rate<0.01";
  return `not a threshold: expected an aggregation, an operator and a value, such as ${such}`;
}
