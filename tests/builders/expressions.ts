import fc from "fast-check";
import { ExactNumber, isNumber } from "../../src/base/exact_number.ts";
import {
  type BinaryOperator,
  call,
  type Expression,
  OPERATORS,
} from "../../src/plan/expressions/expression.ts";

const NAMES = ["a", "b", "list", "map", "text"];

const leaf: fc.Arbitrary<Expression> = fc.oneof(
  fc.constantFrom(...NAMES).map((name): Expression => ({ kind: "variable", name })),
  fc.constantFrom<Expression>(
    { kind: "vars", name: "api-key" },
    { kind: "vars", name: "two words" },
    { kind: "data", source: "users", column: "First Name" },
    { kind: "data", source: "users", column: "id" },
    { kind: "data", source: "users", column: "Price (EUR) + tax" },
    { kind: "vars", name: "address[city]" },
    { kind: "env", name: "HOME" },
    { kind: "vu" },
  ),
  fc.oneof(fc.string(), fc.boolean(), fc.constant(null), fc.integer())
    .map((value): Expression => ({ kind: "literal", value })),
  fc.bigInt({ min: 2n ** 60n, max: 2n ** 70n }).map((value): Expression => (
    { kind: "literal", value: new ExactNumber(String(value)) }
  )),
);

/** Generates expressions with all kinds of operators. */
export const anyExpression: fc.Arbitrary<Expression> = fc.letrec<{ expression: Expression }>(
  (tie) => ({
    expression: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      leaf,
      fc.record({
        kind: fc.constant("binary" as const),
        operator: fc.constantFrom<BinaryOperator>(...OPERATORS.flat()),
        left: tie("expression"),
        right: tie("expression"),
      }),
      tie("expression").map((operand): Expression => ({ kind: "unary", operator: "not", operand })),
      tie("expression").filter((one) => one.kind !== "literal" || !isNumber(one.value))
        .map((operand): Expression => ({ kind: "unary", operator: "-", operand })),
      fc.record({
        kind: fc.constant("member" as const),
        of: tie("expression"),
        key: tie("expression"),
      }),
      tie("expression").map((argument) => call("sha256", argument)),
      fc.tuple(tie("expression"), tie("expression")).map(([a, b]) =>
        call("replace", a, { kind: "literal", value: "x" }, b)
      ),
    ),
  }),
).expression;
