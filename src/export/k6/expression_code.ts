import { ExactNumber, type WrittenNumber } from "../../base/exact_number.ts";
import type { FlowScope } from "./flow_scope.ts";
import {
  arrowBody,
  asCondition,
  asText,
  atom,
  constant,
  foldNumber,
  type Js,
  operation,
  optional,
} from "./js_value.ts";
import { FUNCTIONS } from "./functions.ts";
import { memberOf, patternLiteral, scalarLiteral, stringLiteral } from "./javascript.ts";
import { rowVariable } from "./rows.ts";
import type { Expression } from "../../plan/expressions/expression.ts";

/** Returns the JavaScript code for an expression. */
export function expressionCode(expression: Expression, scope: FlowScope): Js {
  const { script } = scope;
  const number = foldNumber(expression);
  if (number !== undefined) return numberCode(number);
  switch (expression.kind) {
    case "literal":
      return constant(
        scalarLiteral(expression.value),
        typeof expression.value === "string" ? "text" : "scalar",
      );
    case "env":
      if (expression.default === undefined) {
        return constant(`${script.use("env")}(${stringLiteral(expression.name)})`, "text");
      }
      return constant(
        `(${memberOf("__ENV", expression.name)} || ${stringLiteral(expression.default)})`,
        "text",
      );
    case "vars":
    case "secrets":
      return constant(script.constant(expression.kind, expression.name), "text");
    case "setup":
      return setupVariable(expression.name, scope);
    case "variable":
      return variable(expression.name, scope);
    case "data":
      return column(expression.source, expression.column, scope);
    case "vu":
      script.note(
        "k6-vu-number",
        "${vu}",
        "k6 numbers the VUs of the whole test, not of each scenario",
      );
      return constant(
        `${script.import("k6/execution", "default") && "exec"}.vu.idInTest`,
        "scalar",
      );
    case "iteration":
      return constant(
        `${script.import("k6/execution", "default")}.vu.iterationInScenario`,
        "scalar",
      );
    case "scenario":
      return constant(stringLiteral(scope.name), "text");
    case "unique": {
      const code = `${script.use("uniqueText")}()`;
      return constant(scope.perIteration("unique", "uniqueId", code), "text");
    }
    case "call":
      return FUNCTIONS[expression.name](expression.arguments, scope, expressionCode);
    case "member": {
      const [of, key] = [expression.of, expression.key].map((one) => expressionCode(one, scope));
      return operation(
        `${script.use("memberOf")}(${of.code}, ${key.code})`,
        [of, key],
        "any",
        true,
      );
    }
    case "unary":
      return unary(expression, scope);
    case "binary":
      return binary(expression, scope);
  }
}

function numberCode(number: WrittenNumber): Js {
  const code = scalarLiteral(number);
  return {
    ...constant(code, number instanceof ExactNumber ? "text" : "scalar"),
    isAtom: code[0] !== "-",
  };
}

/**
 * Returns the code for the second operand of an operation. The operand is evaluated, and the
 * variables that it reads must be set, only if the first operand does not determine the result.
 */
function lazyOperand(value: Js, { script }: FlowScope): Js {
  if (value.needs.length === 0) return value;
  const code = `${script.use("need")}([${value.needs.join(", ")}], () => ${arrowBody(value)})`;
  return { code, type: value.type, needs: [], fails: true, isAtom: true };
}

function variable(name: string, scope: FlowScope): Js {
  const isItem = scope.isItem(name);
  const code = scope.read(name);
  const type = scope.texts.has(name) ? "text" : scope.structured.has(name) ? "any" : "scalar";
  return { ...constant(code, type), needs: isItem ? [] : [code] };
}

function setupVariable(name: string, scope: FlowScope): Js {
  // While `setup` runs, its variables are not available yet.
  const code = scope.kind === "setup" ? "undefined" : memberOf("setupData", name);
  return { ...constant(code, "any"), needs: [code] };
}

function column(source: string, column: string, scope: FlowScope): Js {
  const feeder = scope.script.plan.data?.[source];
  const row = rowVariable(source, scope);
  const code = memberOf(row, column);
  const isText = feeder?.type === "csv" ||
    feeder?.type === "inline" &&
      feeder.rows.every((row) => typeof row[column] === "string");
  const value = constant(code, isText ? "text" : "any");
  const isKnown = feeder?.type === "inline" &&
    feeder.rows.every((row) => Object.hasOwn(row, column) && row[column] !== undefined);
  return isKnown || feeder?.type === "csv" ? value : { ...value, needs: [code] };
}

function unary(
  { operator, operand }: Extract<Expression, { kind: "unary" }>,
  scope: FlowScope,
): Js {
  const value = expressionCode(operand, scope);
  if (operator === "not") {
    const test = asCondition(value, scope);
    const code = /^[\w$.]+\(|^[\w$.]+$/.test(test) ? `!${test}` : `!(${test})`;
    return operation(value.type === "boolean" ? `!(${test})` : code, [value], "boolean");
  }
  return operation(`-${scope.script.use("number")}(${value.code})`, [value], "scalar", true, false);
}

function binary(
  { operator, left, right }: Extract<Expression, { kind: "binary" }>,
  scope: FlowScope,
): Js {
  const { script } = scope;
  if (operator === "??" && left.kind === "env" && left.default === undefined) {
    const b = expressionCode(right, scope);
    const other = lazyOperand(b, scope);
    return operation(
      `${memberOf("__ENV", left.name)} ?? ${atom(other)}`,
      [other],
      "any",
      false,
      false,
    );
  }
  const [a, b] = [expressionCode(left, scope), expressionCode(right, scope)];
  switch (operator) {
    case "or":
    case "and": {
      const sign = operator === "or" ? "||" : "&&";
      const other = lazyOperand(b, scope);
      const [x, y] = [a, other].map((one) => asCondition(one, scope));
      return operation(`(${x} ${sign} ${y})`, [a, other], "boolean");
    }
    case "??": {
      const first = a.fails ? optional(a, scope) : a.code;
      const type = a.type === b.type ? a.type : "any";
      const other = lazyOperand(b, scope);
      return operation(`${first} ?? ${atom(other)}`, [other], type, false, false);
    }
    case "==":
    case "!=": {
      const code = `${script.use("equal")}(${a.code}, ${b.code})`;
      return operation(operator === "==" ? code : `!${code}`, [a, b], "boolean");
    }
    case "<":
    case "<=":
    case ">":
    case ">=": {
      const code = `${script.use("compare")}(${a.code}, ${b.code}) ${operator} 0`;
      return operation(code, [a, b], "boolean", true, false);
    }
    case "matches": {
      const pattern = right.kind === "literal" ? String(right.value) : "";
      const code = `${patternLiteral(pattern)}.test(${asText(a, scope)})`;
      return operation(code, [a], "boolean");
    }
    case "+":
      return operation(`${script.use("add")}(${a.code}, ${b.code})`, [a, b], "any");
    case "-":
    case "*":
    case "/":
    case "%": {
      const [x, y] = [a, b].map((one) => `${script.use("number")}(${one.code})`);
      // Division by 0 has no result in a plan.
      const isDivision = operator === "/" || operator === "%";
      const code = `${isDivision ? script.use("finite") : ""}(${x} ${operator} ${y})`;
      return operation(code, [a, b], "scalar", true);
    }
  }
}
