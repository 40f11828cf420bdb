import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { isNumber } from "../../../src/base/exact_number.ts";
import { evaluateExpression } from "../../support/evaluate_expression.ts";
import { evaluateWithV8 } from "../../oracles/v8_expressions.ts";

const integer = fc.oneof(
  fc.integer({ min: 0, max: 20 }),
  fc.bigInt({ min: 2n ** 53n - 2n, max: 2n ** 66n }),
).map(String);
const text = fc.string({ unit: fc.constantFrom(..."abc7 "), maxLength: 4 }).map((text) =>
  JSON.stringify(text)
);

const { number, condition, joined } = fc.letrec<
  { number: string; condition: string; joined: string }
>((tie) => ({
  number: fc.oneof(
    { maxDepth: 5 },
    integer,
    infix(["+", "-", "*", "%"], tie("number"), tie("number")),
    tie("number").map((inner) => `(${inner})`),
    tie("number").map((inner) => `-(${inner})`),
  ),
  condition: fc.oneof(
    { maxDepth: 3 },
    infix(["<", "<=", ">", ">=", "==", "!="], tie("number"), tie("number")),
    infix(["==", "!="], tie("joined"), tie("joined")),
    infix(["and", "or"], tie("condition"), tie("condition")),
    tie("condition").map((inner) => `not (${inner})`),
    tie("condition").map((inner) => `(${inner})`),
  ),
  joined: fc.oneof(
    { maxDepth: 3 },
    text,
    infix(["+"], tie("joined"), tie("number").map((inner) => `(${inner})`)),
    infix(["+"], tie("joined"), tie("joined")),
  ),
}));

Deno.test("integer arithmetic, comparisons and string concatenation give the same results as in V8 with BigInt", () => {
  fc.assert(
    fc.property(fc.oneof(number, condition, joined), (source) => {
      const expected = evaluateWithV8(source);
      if (expected !== undefined) assertEquals(valueOf(source, expected), expected, source);
    }),
  );
});

/**
 * Evaluates `source`. Returns `expected` if the evaluation divides by zero in an operand of `and`
 * or `or`, which V8 may skip.
 */
function valueOf(source: string, expected: unknown): unknown {
  try {
    const value = evaluateExpression(source);
    return isNumber(value) ? BigInt(String(value)) : value;
  } catch (error) {
    if (/ (?:and|or) /.test(source) && (error as Error).message.includes("division by zero")) {
      return expected;
    }
    throw error;
  }
}

function infix(
  operators: readonly string[],
  left: fc.Arbitrary<string>,
  right: fc.Arbitrary<string>,
): fc.Arbitrary<string> {
  return fc.tuple(left, fc.constantFrom(...operators), right).map((parts) => parts.join(" "));
}
