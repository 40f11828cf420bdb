import { ExactNumber } from "../base/exact_number.ts";
import { durationMs } from "../base/format.ts";
import type {
  Comparisons,
  Condition,
  ConditionKind,
  Count,
  FlowCondition,
} from "../plan/kinds/conditions.ts";
import { literalText, parseCondition } from "../plan/text/template.ts";
import { expressionCode } from "./expressions.ts";
import { cssCode, headerCode, jsonPathCode, textCode } from "./extractors.ts";
import { patternLiteral, scalarLiteral, stringLiteral } from "./javascript.ts";
import { type FlowScope, NotExported } from "./scope.ts";

/**
 * For each kind of condition, returns the tests on the response `r`, which must all be true.
 * Without a response, the status is 0 and the condition is false.
 */
const CONDITIONS: {
  readonly [K in ConditionKind]: (
    condition: Extract<Condition, { type: K }>,
    r: string,
    scope: FlowScope,
  ) => readonly string[];
} = {
  status: ({ equals, one_of, matches }, r) => [
    ...equals === undefined ? [] : [`${r}.status === ${equals}`],
    ...one_of === undefined ? [] : [`[${one_of.join(", ")}].includes(${r}.status)`],
    ...matches === undefined ? [] : [answered(r), `${patternLiteral(matches)}.test(${r}.status)`],
  ],
  body_contains({ value, negate, count }, r, scope) {
    const text = textCode(value, scope);
    const isKnown = literalText(value) === undefined ? [`isSet(${text})`] : [];
    const body = `(${r}.body || "")`;
    const test = count === undefined
      ? [`${negate ? "!" : ""}${body}.includes(${text})`]
      : countCode(`(${body}.split(${text}).length - 1)`, count);
    return [answered(r), ...isKnown, ...test];
  },
  body_matches({ pattern, negate, count }, r) {
    const test = count === undefined
      ? [`${negate ? "!" : ""}${patternLiteral(pattern)}.test(${r}.body || "")`]
      : countCode(`matches(${r}, ${patternLiteral(pattern, "g")}, 0).length`, count);
    return [answered(r), ...test];
  },
  jsonpath({ expression, equals, exists, matches, count, ...limits }, r) {
    const { all, first = `${all}[0]` } = jsonPathCode(expression, r);
    const tests = [
      ...count === undefined ? [] : countCode(`${all}.length`, count),
      ...equals === undefined ? [] : [equalCode(first, equals)],
      ...comparisonCodes(`parseFloat(${first})`, limits),
      ...matches === undefined ? [] : [isSet(first), `${patternLiteral(matches)}.test(${first})`],
    ];
    if (exists === false) return [answered(r), `${first} === undefined`, ...tests];
    return tests.length === 0 ? [isSet(first)] : [answered(r), ...tests];
  },
  css({ expression, exists = true, count }, r) {
    const found = `${cssCode(expression, r)}.length`;
    return [answered(r), ...countCode(found, count ?? (exists ? { gt: 0 } : 0))];
  },
  xpath: ({ expression }) => {
    throw new NotExported(`k6 has no XPath such as \`${expression}\``);
  },
  duration: ({ max }, r) => [answered(r), `${r}.timings.duration <= ${durationMs(max)}`],
  size: ({ min, max, equals }, r) => [
    answered(r),
    ...comparisonCodes(`bodySize(${r})`, { gte: min, lte: max }),
    ...equals === undefined ? [] : [`bodySize(${r}) === ${equals}`],
  ],
  header({ header, equals, contains, matches, exists, ...limits }, r, scope) {
    const value = headerCode(header, r);
    if (exists === false) return [answered(r), `${value} === undefined`];
    return [
      isSet(value),
      ...equals === undefined ? [] : [`${value} === ${textCode(equals, scope)}`],
      ...contains === undefined ? [] : [`${value}.includes(${textCode(contains, scope)})`],
      ...matches === undefined ? [] : [`${patternLiteral(matches)}.test(${value})`],
      ...comparisonCodes(`parseFloat(${value})`, limits),
    ];
  },
};

function answered(r: string): string {
  return `${r}.status !== 0`;
}

function isSet(code: string): string {
  return `${code} !== undefined`;
}

/** Returns code that tests a condition on the response in the variable `r`. */
export function conditionCode(condition: Condition, r: string, scope: FlowScope): string {
  const write = CONDITIONS[condition.type] as (
    condition: Condition,
    r: string,
    scope: FlowScope,
  ) => readonly string[];
  return write(condition, r, scope).join(" && ");
}

/** Returns code that tests the condition of an `if`, `while` or `retry` step. */
export function flowConditionCode(condition: FlowCondition, scope: FlowScope): string {
  if (typeof condition === "string") {
    const expression = parseCondition(condition);
    const { code } = expressionCode(expression, scope);
    return expression.kind === "binary" ? code.replace(/^\((.*)\)$/s, "$1") : code;
  }
  if ("var" in condition) {
    const { var: name, equals, matches, exists, ...limits } = condition;
    const { code } = expressionCode(parseCondition(name), scope);
    if (exists === false) return `${code} === undefined`;
    const tests = [
      ...equals === undefined ? [] : [equalCode(code, equals)],
      ...matches === undefined ? [] : [isSet(code), `${patternLiteral(matches)}.test(${code})`],
      ...comparisonCodes(`parseFloat(${code})`, limits),
    ];
    return tests.length === 0 ? isSet(code) : tests.join(" && ");
  }
  if ("type" in condition) return conditionCode(condition, "res", scope);
  if (condition.not !== undefined) return `!(${flowConditionCode(condition.not, scope)})`;
  const sign = condition.and === undefined ? " || " : " && ";
  return (condition.and ?? condition.or ?? [])
    .map((part) => `(${flowConditionCode(part, scope)})`).join(sign);
}

/** A number equals text that is the same number. Lists and maps are compared as JSON. */
function equalCode(value: string, expected: unknown): string {
  if (typeof expected === "number") return `${value} == ${expected}`;
  return typeof expected === "object" && expected !== null && !(expected instanceof ExactNumber)
    ? `JSON.stringify(${value}) === ${stringLiteral(JSON.stringify(expected))}`
    : `${value} === ${scalarLiteral(expected)}`;
}

const OPERATORS = { gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;

function comparisonCodes(value: string, limits: Comparisons): string[] {
  return (["gt", "gte", "lt", "lte"] as const).flatMap((key) =>
    limits[key] === undefined ? [] : [`${value} ${OPERATORS[key]} ${limits[key]}`]
  );
}

function countCode(found: string, count: Count): string[] {
  return typeof count === "number"
    ? [`${found} === ${scalarLiteral(count)}`]
    : comparisonCodes(found, count);
}
