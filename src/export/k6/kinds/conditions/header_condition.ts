import { optional } from "../../flow/js_value.ts";
import type { FlowScope } from "../../flow/flow_scope.ts";
import { templateCode } from "../../flow/template_code.ts";
import { patternLiteral } from "../../js/literal.ts";
import { headerCode } from "../../responses/header_name.ts";
import { allOf, comparisonCodes, type ConditionWriter } from "./condition_writer.ts";

/** Writes `header` conditions as JavaScript. */
export const header: ConditionWriter<"header"> = {
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
};

function textCode(template: string, scope: FlowScope): string {
  const value = templateCode(template, scope);
  return value.needs.length === 0 && !value.fails ? value.code : optional(value, scope);
}
