import { assert, assertEquals } from "@std/assert";
import fc, { ANY_CHARACTER } from "fast-check";
import { InputError } from "../../../src/base/errors.ts";
import { asText, ExactNumber } from "../../../src/base/exact_number.ts";
import { FUNCTIONS, type FunctionVariant } from "../../../src/plan/expressions/functions.ts";
import { formatExpression, parseTemplate, TemplateError } from "../../../src/plan/text/template.ts";
import { anyExpression } from "../../builders/expressions.ts";
import { evaluateExpression } from "../../support/evaluate_expression.ts";

const TOKENS = [
  ...[
    ...["a", "b", "list", "map", "text", "none", "vars.x", "env.E", "(", ")", "[", "]", ".", ","],
    "}",
  ],
  ...[
    ...["+", "-", "*", "/", "%", "??", "==", "!=", "<", "<=", ">", ">=", " and ", " or ", " not "],
    " ",
  ],
  ...["1", "0", "9007199254740993", "1e300", "0.5", '"x"', "'y'", '"\\u0000"', "true", "null", '"'],
  ...["replace(", "hex(", "json(", "upper(", "substring(", "random_string(", "number(", "length("],
  ...[
    ...["jwt_decode(", "sha256(", "hmac_sha256(", "date(", "random_choice(", "constructor"],
    "__proto__",
  ],
  ...[
    ...["prototype", "eval(", "this", "globalThis", "Function", "=>", "`", "$", "${", "\u2028"],
    "\ud800",
  ],
];

/** Generates text that looks like an expression, up to 10 kB long. */
const expressionNoise: fc.Arbitrary<string> = fc.oneof(
  fc.array(fc.constantFrom(...TOKENS), { maxLength: 40 }).map((tokens) => tokens.join("")),
  fc.tuple(
    fc.constantFrom(...TOKENS),
    fc.constantFrom(...TOKENS),
    fc.integer({ min: 1, max: 3_000 }),
  )
    .map(([a, b, n]) => `${a}${`${b}${a}`.repeat(n)}`.slice(0, 10_000)),
  fc.string({ unit: ANY_CHARACTER, maxLength: 100 }),
);

/** Variables that `expressionNoise` uses. */
const VARIABLES = {
  a: 1,
  b: new ExactNumber("123456789012345678901234567890"),
  list: [1, "two", [3]],
  map: { a: "b", c: null },
  text: "some text with ümläuts".repeat(50),
};

/**
 * Evaluates a string as an expression. Asserts that the result is JSON data, or that the string is
 * rejected with a clear error.
 */
function assertEvaluatesOrExplains(source: string): void {
  let value: unknown;
  try {
    value = evaluateExpression(source, { variables: VARIABLES, vars: { x: "X" }, env: { E: "e" } });
  } catch (error) {
    const isClear = error instanceof TemplateError || error instanceof InputError ||
      (error as Error).name === "TemplateFault" ||
      (error as Error).message === "not a single expression";
    if (!isClear) throw error;
    return;
  }
  assert(isData(value), `not data: ${typeof value}`);
}

/** Reports whether a value consists of JSON data. */
function isData(value: unknown): boolean {
  if (value === null || value instanceof ExactNumber) return true;
  if (Array.isArray(value)) return value.every(isData);
  if (typeof value !== "object") return ["string", "number", "boolean"].includes(typeof value);
  return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isData);
}

Deno.test("any expression text either evaluates to plain data or is rejected with a clear error", () => {
  fc.assert(fc.property(expressionNoise, assertEvaluatesOrExplains));
});

Deno.test("a formatted expression parses as an equal expression", () => {
  fc.assert(
    fc.property(anyExpression, (expression) => {
      const text = formatExpression(expression);
      assertEquals(parseTemplate(text), [expression], text);
    }),
  );
});

Deno.test("a name with a closing brace is quoted", () => {
  const text = '${vars["x}"]}';
  const [expression] = parseTemplate(text);
  if (expression.kind === "text") throw new Error("the template contains no expression");
  assertEquals(parseTemplate(formatExpression(expression)), [expression]);
});

for (const [name, { example, result }] of Object.entries<FunctionVariant>(FUNCTIONS)) {
  Deno.test(`the example of ${name}() evaluates to its documented result`, () => {
    const value = asText(evaluateExpression(example));
    if (result === undefined) assertEquals(typeof value, "string");
    else assertEquals(value, result);
  });
}
