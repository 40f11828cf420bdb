import { durationMs } from "../../base/format.ts";
import { expressionCode } from "./expression_code.ts";
import type { FlowScope } from "./flow_scope.ts";
import { patternLiteral, scalarLiteral } from "./javascript.ts";
import { asCondition, optional } from "./js_value.ts";
import { cssCode, headerCode, jsonPathCode } from "./responses.ts";
import { dataCode } from "./rows.ts";
import { templateCode } from "./template_code.ts";
import type { Comparisons, Condition, ConditionKind, Count } from "../../plan/kinds/conditions.ts";
import type { FlowCondition, VariableCondition } from "../../plan/kinds/flow_conditions.ts";
import { conditionName } from "../../plan/kinds/names.ts";
import { parseCondition, parseTemplate } from "../../plan/text/template.ts";

/** Condition of kind `K` on a response. */
type ConditionOf<K extends ConditionKind> = Extract<Condition, { type: K }>;

/**
 * Writes conditions of kind `K` as JavaScript. `src/plan/kinds/conditions` defines their syntax.
 */
interface ConditionWriter<K extends ConditionKind> {
  /**
   * Returns JavaScript code that tests a condition on the response in the variable `response`. If
   * there is no response, the code evaluates to false. Returns undefined if k6 cannot test the
   * condition.
   */
  write(condition: ConditionOf<K>, response: string, scope: FlowScope): string | undefined;
}

/** Writer for each kind of condition on a response. */
const CONDITIONS: { readonly [K in ConditionKind]: ConditionWriter<K> } = {
  status: {
    write: ({ equals, one_of, matches }, r) =>
      allOf([
        ...(equals === undefined ? [] : [`${r}.status === ${equals}`]),
        ...(one_of === undefined ? [] : [`[${one_of.join(", ")}].includes(${r}.status)`]),
        ...(matches === undefined
          ? []
          : [`${r}.status !== 0 && ${patternLiteral(matches)}.test(${r}.status)`]),
      ]),
  },
  body_contains: {
    write({ value, negate, count }, r, scope) {
      const text = templateCode(value, scope);
      const search = optional(text, scope);
      const isKnown = search === text.code && text.needs.length === 0;
      const guard = isKnown ? "" : `${scope.script.use("isSet")}(${search}) && `;
      if (count !== undefined) {
        const found = `${scope.script.use("occurrences")}(${r}, ${search})`;
        return `${r}.status !== 0 && ${guard}${countCode(found, count)}`;
      }
      if (negate) return `${r}.status !== 0 && ${guard}!(${r}.body || '').includes(${search})`;
      return `${r}.status !== 0 && ${guard}(${r}.body || '').includes(${search})`;
    },
  },
  body_matches: {
    write({ pattern, negate, count }, r, scope) {
      if (count !== undefined) {
        const list = `${scope.script.use("matches")}(${r}, ${patternLiteral(pattern, "g")}, 0)`;
        return `${r}.status !== 0 && ${countCode(`${list}.length`, count)}`;
      }
      const test = `${patternLiteral(pattern)}.test(${r}.body || '')`;
      return `${r}.status !== 0 && ${negate ? "!" : ""}${test}`;
    },
  },
  jsonpath: {
    write(condition, r, scope) {
      const { type: _, name: __, expression, equals, exists, matches, count, ...limits } =
        condition;
      const { script } = scope;
      const path = jsonPathCode(expression, r, script);
      if (path === undefined) {
        script.note(
          "k6-jsonpath",
          conditionName(condition),
          `\`${expression}\` is not exported: ${scope.consequence}`,
        );
        return undefined;
      }
      const { first, all } = path;
      const tests = [
        ...(count === undefined ? [] : [countCode(`${all}.length`, count)]),
        ...(equals === undefined ? [] : [equalsCode(equals)]),
        ...comparisonCodes(`${script.use("numeric")}(${first})`, limits),
        ...(matches === undefined
          ? []
          : [`${first} !== undefined`, `${patternLiteral(matches)}.test(${first})`]),
      ];
      if (exists === false) {
        return `${r}.status !== 0 && ${allOf([`${first} === undefined`, ...tests])}`;
      }
      return tests.length === 0 ? `${first} !== undefined` : allOf(tests);

      function equalsCode(value: unknown): string {
        const expected = dataCode(value, script);
        if (typeof value === "object" && value !== null || typeof value === "number") {
          return `${
            script.use(typeof value === "number" ? "equal" : "same")
          }(${first}, ${expected})`;
        }
        return `${first} === ${expected}`;
      }
    },
  },
  css: {
    write({ expression, exists = true, count }, r, scope) {
      const found = `${cssCode(expression, r, scope.script)}.length`;
      if (count !== undefined) return `${r}.status !== 0 && ${countCode(found, count)}`;
      return exists ? `${found} > 0` : `${r}.status !== 0 && ${found} === 0`;
    },
  },
  xpath: {
    write(condition, _r, { script, consequence }) {
      script.note(
        "k6-xpath",
        conditionName(condition),
        `\`${condition.expression}\` is not exported: ${consequence}`,
      );
      return undefined;
    },
  },
  duration: {
    write: ({ max }, r) => `${r}.status !== 0 && ${r}.timings.duration <= ${durationMs(max)}`,
  },
  size: {
    write({ name, min, max, equals }, r, { script }) {
      script.note(
        "k6-size",
        name ?? "size",
        "the script reads Content-Length, or measures the decompressed body",
      );
      const bytes = `${script.use("bodySize")}(${r})`;
      return allOf([
        `${r}.status !== 0`,
        ...(min === undefined ? [] : [`${bytes} >= ${min}`]),
        ...(max === undefined ? [] : [`${bytes} <= ${max}`]),
        ...(equals === undefined ? [] : [`${bytes} === ${equals}`]),
      ]);
    },
  },
  header: {
    write({ header, equals, contains, matches, exists, ...limits }, r, scope) {
      const value = headerCode(header, r);
      if (exists === false) return `${r}.status !== 0 && ${value} === undefined`;
      const tests = [
        ...(equals === undefined ? [] : [`${value} === ${textCode(equals, scope)}`]),
        ...(contains === undefined ? [] : [`${value}.includes(${textCode(contains, scope)})`]),
        ...(matches === undefined ? [] : [`${patternLiteral(matches)}.test(${value})`]),
        ...comparisonCodes(`${scope.script.use("numeric")}(${value})`, limits),
      ];
      const isEnough = tests.length > 0 && contains === undefined && matches === undefined &&
        !tests[0].endsWith("undefined");
      return allOf(isEnough ? tests : [`${value} !== undefined`, ...tests]);
    },
  },
};

/**
 * Returns JavaScript code that tests a condition on the response in the variable `response`.
 * Returns undefined if k6 cannot test the condition. `consequence` states in a warning what the
 * script then does, such as "the script omits the check".
 */
export function conditionCode(
  condition: Condition,
  response: string,
  scope: FlowScope,
  consequence: string,
): string | undefined {
  scope.consequence = consequence;
  return writeKind(condition.type, condition, response, scope);
}

function writeKind<K extends ConditionKind>(
  kind: K,
  condition: ConditionOf<K>,
  response: string,
  scope: FlowScope,
) {
  return CONDITIONS[kind].write(condition, response, scope);
}

/** Returns JavaScript code that tests the condition of an `if`, `while` or `retry` step. */
export function flowConditionCode(condition: FlowCondition, scope: FlowScope): string {
  if (typeof condition === "string") {
    const value = expressionCode(parseCondition(condition), scope);
    if (value.needs.length === 0 && !value.fails) return asCondition(value, scope);
    const test = optional(value, scope);
    return value.type === "boolean" ? test : `${scope.script.use("truthy")}(${test})`;
  }
  if ("var" in condition) return variableCode(condition, scope);
  if ("type" in condition) {
    scope.usesResponse = true;
    const consequence = "the script treats the condition of the step as false";
    return conditionCode(condition, "res", scope, consequence) ?? "false";
  }
  if (condition.not !== undefined) return `!(${flowConditionCode(condition.not, scope)})`;
  const [parts, sign] = condition.and === undefined
    ? [condition.or ?? [], " || "]
    : [condition.and, " && "];
  return parts.map((part) => `(${flowConditionCode(part, scope)})`).join(sign);
}

/** Returns JavaScript code that tests a condition on a variable. */
function variableCode(
  { var: name, equals, matches, exists, ...limits }: VariableCondition,
  scope: FlowScope,
): string {
  const { script } = scope;
  const [expression] = parseTemplate(`\${${name}}`);
  if (expression.kind === "text") return "false";
  const value = expressionCode(expression, scope);
  const code = optional(value, scope);
  if (exists === false) return `${code} === undefined`;
  const tests = [
    ...(equals === undefined
      ? []
      : [`${script.use("same")}(${code}, ${dataCode(equals, script)})`]),
    ...(matches === undefined
      ? []
      : [`${code} !== undefined`, `${patternLiteral(matches)}.test(${code})`]),
    ...comparisonCodes(`${script.use("numeric")}(${code})`, limits),
  ];
  return tests.length === 0 ? `${code} !== undefined` : allOf(tests);
}

function textCode(template: string, scope: FlowScope): string {
  const value = templateCode(template, scope);
  return value.needs.length === 0 && !value.fails ? value.code : optional(value, scope);
}

const OPERATORS = { gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;

/**
 * Returns the JavaScript code for each comparison in `limits`. `value` is the code for the number
 * to compare.
 */
function comparisonCodes(value: string, limits: Comparisons): string[] {
  return (["gt", "gte", "lt", "lte"] as const).flatMap((key) => {
    const limit = limits[key];
    return limit === undefined ? [] : [`${value} ${OPERATORS[key]} ${String(limit)}`];
  });
}

/**
 * Returns JavaScript code that compares the number of matches with `count`. `found` is the code for
 * the number of matches.
 */
function countCode(found: string, count: Count): string {
  if (typeof count === "number") return `${found} === ${scalarLiteral(count)}`;
  return comparisonCodes(found, count).join(" && ");
}

/** Joins the code for conditions that must all be true. */
function allOf(conditions: readonly string[]): string {
  return conditions.length === 0 ? "true" : conditions.join(" && ");
}
