import { asText, compareNumbers, type WrittenNumber } from "../../base/exact_number.ts";
import { durationMs } from "../../base/format.ts";
import { compileExpression, compileTemplate } from "../flow/expressions.ts";
import { constant, numberFrom, type Rendered, sameJson, truth } from "../flow/values.ts";
import type { Scope } from "../flow/scope.ts";
import { FlowEnd, TemplateFault } from "../vu/flow_end.ts";
import type { Vu } from "../vu/vu.ts";
import { findJsonPath } from "../../extract/jsonpath.ts";
import { countCss, existsCss, parseHtml } from "../../extract/parse_html.ts";
import {
  allParts,
  type PartsRead,
  READS_BODY,
  READS_HEADERS,
  READS_NOTHING,
  searched,
} from "../../extract/response_view.ts";
import { findXPath } from "../../extract/xpath_dom.ts";
import { ContentError } from "../../http/content.ts";
import type {
  CombinedCondition,
  Comparisons,
  Condition,
  ConditionKind,
  Count,
  FlowCondition,
  VariableCondition,
} from "../../plan/kinds/conditions.ts";
import { parseCondition, parseTemplate } from "../../plan/text/template.ts";

type ConditionOf<K extends ConditionKind> = Extract<Condition, { type: K }>;

/** Tests the last response of a VU. Throws TemplateFault or ContentError if it cannot. */
export type ConditionTest = (vu: Vu) => boolean;

interface ConditionRuntime<K extends ConditionKind> {
  readonly reads: PartsRead;
  /** Compiles a condition. The returned test is called only if the VU has a response. */
  compile(condition: ConditionOf<K>, scope: Scope): ConditionTest;
}

const CONDITIONS: { readonly [K in ConditionKind]: ConditionRuntime<K> } = {
  status: {
    reads: READS_NOTHING,
    compile({ equals, one_of, matches }) {
      const allowed = one_of && new Set(one_of);
      const pattern = matches === undefined ? undefined : new RegExp(matches);
      return ({ received: { response: { status } } }) =>
        (equals === undefined || status === equals) && (allowed?.has(status) ?? true) &&
        (pattern?.test(String(status)) ?? true);
    },
  },
  body_contains: {
    reads: READS_BODY,
    compile(condition, scope) {
      const value = compileTemplate(condition.value, scope);
      const expected = !condition.negate;
      const isCount = compileCount(condition.count);
      if (isCount) {
        return (vu) => isCount(occurrences(vu.received.text, value.render(vu)));
      }
      return (vu) => vu.received.text.includes(value.render(vu)) === expected;
    },
  },
  body_matches: {
    reads: READS_BODY,
    compile(condition) {
      const pattern = new RegExp(condition.pattern);
      const isCount = compileCount(condition.count);
      if (isCount) {
        const all = new RegExp(condition.pattern, "g");
        return ({ received }) => isCount([...searched(received).matchAll(all)].length);
      }
      const expected = !condition.negate;
      return ({ received }) => pattern.test(searched(received)) === expected;
    },
  },
  jsonpath: {
    reads: READS_BODY,
    compile({ expression, equals, exists, matches, count, ...limits }) {
      const find = findJsonPath(expression);
      const compare = compileComparison(limits);
      const isCount = compileCount(count);
      const pattern = matches === undefined ? undefined : new RegExp(matches);
      const testsValue = compare !== undefined || pattern !== undefined || equals !== undefined;
      return ({ received }) => {
        if (isCount && !isCount([...find(received)].length)) return false;
        if (isCount && !testsValue) return true;
        const found = first(find(received));
        if (found === undefined) return exists === false && !testsValue;
        return exists !== false && (equals === undefined || sameJson(found, equals)) &&
          (compare?.(found) ?? true) && (pattern?.test(asText(found)) ?? true);
      };
    },
  },
  css: {
    reads: READS_BODY,
    compile({ expression, exists, count }) {
      const isCount = compileCount(count);
      if (isCount) {
        return ({ received }) => isCount(countCss(expression, received.html(parseHtml)));
      }
      return ({ received }) => existsCss(expression, received.html(parseHtml)) === (exists ?? true);
    },
  },
  xpath: {
    reads: READS_BODY,
    compile({ expression, exists, count }) {
      const find = findXPath(expression);
      const isCount = compileCount(count);
      if (isCount) return ({ received }) => isCount([...find(received)].length);
      return ({ received }) => ([...find(received)].length > 0) === (exists ?? true);
    },
  },
  duration: {
    reads: READS_NOTHING,
    compile(condition) {
      const max = durationMs(condition.max) ?? Infinity;
      return ({ received }) => received.durationMs <= max;
    },
  },
  size: {
    reads: READS_NOTHING,
    compile({ min = 0, max = Infinity, equals }) {
      return ({ received: { response: { bodySize } } }) =>
        bodySize >= min && bodySize <= max && (equals === undefined || bodySize === equals);
    },
  },
  header: {
    reads: READS_HEADERS,
    compile(condition, scope) {
      const name = condition.header.toLowerCase();
      const { exists } = condition;
      const compare = compileComparison(condition);
      const equals = compileOptional(condition.equals, scope);
      const contains = compileOptional(condition.contains, scope);
      const pattern = condition.matches === undefined ? undefined : new RegExp(condition.matches);
      return (vu) => {
        const value = vu.received.header(name);
        if (value === undefined) return exists === false;
        return exists !== false && value === (equals.render(vu) ?? value) &&
          value.includes(contains.render(vu) ?? "") && (pattern?.test(value) ?? true) &&
          (compare?.(value) ?? true);
      };
    },
  },
};

export function partsRead(condition: FlowCondition): PartsRead {
  if (typeof condition === "string" || "var" in condition) return READS_NOTHING;
  if ("type" in condition) return CONDITIONS[condition.type].reads;
  return allParts(partsOf(condition).map(partsRead));
}

function partsOf({ and = [], or = [], not }: CombinedCondition): readonly FlowCondition[] {
  return [...and, ...or, ...(not === undefined ? [] : [not])];
}

/** Compiles a condition on a response. The condition is false if the VU has no response. */
export function compileCondition(condition: Condition, scope: Scope): ConditionTest {
  const test = compileKind(condition.type, condition, scope);
  return (vu) => vu.received.response.status !== 0 && test(vu);
}

function compileKind<K extends ConditionKind>(kind: K, condition: ConditionOf<K>, scope: Scope) {
  return CONDITIONS[kind].compile(condition, scope);
}

function compileTest(condition: FlowCondition, scope: Scope): ConditionTest {
  if (typeof condition === "string") {
    const value = compileExpression(parseCondition(condition), scope);
    return (vu) => truth(value.render(vu));
  }
  if ("var" in condition) return compileVariable(condition, scope);
  if ("type" in condition) return compileCondition(condition, scope);
  const tests = partsOf(condition).map((part) => compileFlowCondition(part, scope));
  if (condition.not !== undefined) return (vu) => !tests[0](vu);
  return condition.and === undefined
    ? (vu) => tests.some((test) => test(vu))
    : (vu) => tests.every((test) => test(vu));
}

/**
 * Compiles the condition of an `if`, `while` or `retry` step. The condition tests the last response
 * or variables. It is false if it cannot be evaluated, for example because a variable is not set. A
 * body that cannot be decoded is also recorded as an error.
 */
export function compileFlowCondition(condition: FlowCondition, scope: Scope): ConditionTest {
  const test = compileTest(condition, scope);
  const report = scope.recorder.stepErrors(scope.scenario, "condition");
  return (vu) => {
    try {
      return test(vu);
    } catch (error) {
      if (error instanceof FlowEnd) throw error;
      if (error instanceof ContentError) report({ kind: "body", message: error.message });
      return false;
    }
  };
}

function compileVariable(
  { var: name, equals, matches, exists, ...limits }: VariableCondition,
  scope: Scope,
): ConditionTest {
  const [expression] = parseTemplate(`\${${name}}`);
  if (expression.kind === "text") return () => false;
  const value = compileExpression(expression, scope);
  const compare = compileComparison(limits);
  const pattern = matches === undefined ? undefined : new RegExp(matches);
  return (vu) => {
    const now = valueOrUnset(value, vu);
    if (now === undefined) return exists === false;
    return exists !== false && (equals === undefined || sameJson(now, equals)) &&
      (pattern?.test(asText(now)) ?? true) && (compare?.(now) ?? true);
  };
}

function valueOrUnset(value: Rendered<unknown>, vu: Vu): unknown {
  try {
    return value.render(vu);
  } catch (error) {
    if (error instanceof TemplateFault) return undefined;
    throw error;
  }
}

function occurrences(text: string, search: string): number {
  return search === "" ? 0 : text.split(search).length - 1;
}

function first(found: Iterable<unknown>): unknown {
  for (const value of found) return value;
  return undefined;
}

function compileOptional(template: string | undefined, scope: Scope): Rendered<string | undefined> {
  return template === undefined ? constant(undefined) : compileTemplate(template, scope);
}

/**
 * Compiles the `gt`, `gte`, `lt` and `lte` keys. The returned function reports whether a value
 * satisfies all of these keys. It accepts numbers and strings that represent numbers, and returns
 * false for any other value. Returns undefined if none of the keys is set.
 */
function compileComparison(
  { gt, gte, lt, lte }: Comparisons,
): ((value: unknown) => boolean) | undefined {
  const tests: ((value: WrittenNumber) => boolean)[] = [];
  if (gt !== undefined) tests.push((value) => compareNumbers(value, gt) > 0);
  if (gte !== undefined) tests.push((value) => compareNumbers(value, gte) >= 0);
  if (lt !== undefined) tests.push((value) => compareNumbers(value, lt) < 0);
  if (lte !== undefined) tests.push((value) => compareNumbers(value, lte) <= 0);
  if (tests.length === 0) return undefined;
  return (value) => {
    const number = numberFrom(value);
    return number !== undefined && tests.every((test) => test(number));
  };
}

/** Compiles the `count` key, if it is set, to a test of the number of matches. */
function compileCount(count: Count | undefined): ((found: number) => boolean) | undefined {
  if (count === undefined) return undefined;
  return typeof count === "number" ? (found) => found === count : compileComparison(count);
}
