import { durationMs } from "../../../base/duration.ts";
import type { Condition } from "../../../plan/kinds/conditions/conditions.ts";
import { searched } from "../../../extract/find.ts";
import { compileTemplate, render } from "../../flow/render.ts";
import type { Scope } from "../../flow/scope.ts";
import type { ReceivedResponse } from "../../vu/received_response.ts";
import type { Vu } from "../../vu/vu.ts";
import { sameJson } from "./same_json.ts";

/**
 * Reports whether a condition is true for the last response of a VU. Throws TemplateFault if a
 * template cannot be rendered, and ContentError if the body cannot be decoded.
 */
export type ConditionTest = (vu: Vu) => boolean;

type ConditionOf<Type> = Extract<Condition, { type: Type }>;

/** Returns the parts of the response that a condition reads. */
export function conditionNeeds({ type }: Condition): { headers: boolean; body: boolean } {
  const body = type === "body_contains" || type === "body_matches" || type === "jsonpath" ||
    type === "css";
  return { headers: type === "header", body };
}

/** Compiles a condition. The compiled condition is false as long as the VU has no response. */
export async function compileCondition(condition: Condition, scope: Scope): Promise<ConditionTest> {
  const test = await compileTest(condition, scope);
  return (vu) => vu.received.response.status !== 0 && test(vu);
}

function compileTest(condition: Condition, scope: Scope): ConditionTest | Promise<ConditionTest> {
  switch (condition.type) {
    case "status":
      return statusTest(condition);
    case "body_contains": {
      const value = compileTemplate(condition.value, scope);
      const expected = !condition.negate;
      return (vu) => vu.received.text.includes(render(value, vu)) === expected;
    }
    case "body_matches": {
      const pattern = new RegExp(condition.pattern);
      const expected = !condition.negate;
      return ({ received }) => pattern.test(searched(received)) === expected;
    }
    case "jsonpath":
      return jsonPathTest(condition);
    case "css":
      return cssTest(condition);
    case "duration": {
      const max = durationMs(condition.max) ?? Infinity;
      return ({ received }) => received.durationMs <= max;
    }
    case "size": {
      const { min = 0, max = Infinity, equals } = condition;
      return ({ received: { response: { bodySize } } }) =>
        bodySize >= min && bodySize <= max && (equals === undefined || bodySize === equals);
    }
    case "header":
      return headerTest(condition, scope);
  }
}

function statusTest({ equals, one_of, matches }: ConditionOf<"status">): ConditionTest {
  const allowed = one_of && new Set(one_of);
  const pattern = matches === undefined ? undefined : new RegExp(matches);
  return ({ received: { response: { status } } }) =>
    (equals === undefined || status === equals) && (allowed?.has(status) ?? true) &&
    (pattern?.test(String(status)) ?? true);
}

async function jsonPathTest(
  { expression, equals, exists }: ConditionOf<"jsonpath">,
): Promise<ConditionTest> {
  const find = (await import("../../../extract/jsonpath.ts")).findJsonPath(expression);
  return ({ received }) => {
    const found = first(find(received));
    if (equals !== undefined) return found !== undefined && sameJson(found, equals);
    return (found !== undefined) === (exists ?? true);
  };
}

async function cssTest({ expression, exists }: ConditionOf<"css">): Promise<ConditionTest> {
  const { existsCss, parseHtml } = await import("../../../extract/parse_html.ts");
  return ({ received }: { received: ReceivedResponse }) =>
    existsCss(expression, received.html(parseHtml)) === (exists ?? true);
}

function headerTest(condition: ConditionOf<"header">, scope: Scope): ConditionTest {
  const name = condition.header.toLowerCase();
  const { exists } = condition;
  const equals = condition.equals === undefined
    ? undefined
    : compileTemplate(condition.equals, scope);
  const contains = condition.contains === undefined
    ? undefined
    : compileTemplate(condition.contains, scope);
  return (vu) => {
    const value = vu.received.header(name);
    if (value === undefined) return exists === false;
    return exists !== false &&
      (equals === undefined || value === render(equals, vu)) &&
      (contains === undefined || value.includes(render(contains, vu)));
  };
}

function first(found: Iterable<unknown>): unknown {
  for (const value of found) return value;
  return undefined;
}
