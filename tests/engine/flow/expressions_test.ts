import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import fc from "fast-check";
import { ExactNumber, isNumber } from "../../../src/base/exact_number.ts";
import { toNumber, truth } from "../../../src/engine/flow/values.ts";
import { TemplateFault } from "../../../src/engine/vu/flow_end.ts";
import { evaluateWithV8 } from "../../oracles/v8_expressions.ts";
import { evaluateExpression } from "../../support/evaluate_expression.ts";

const VARIABLES = {
  n: 7,
  big: new ExactNumber("9007199254740993"),
  price: new ExactNumber("1.50"),
  digits: "12",
  word: "Ada",
  list: [1, "b", { c: [true] }],
  map: { id: 5, "two words": "x", constructor: "own" },
  none: null,
  empty: "",
};

const CASES: readonly [source: string, value: unknown][] = [
  ["1 + 2 * 3", 7],
  ["(1 + 2) * 3", 9],
  ["10 - 4 - 3", 3],
  ["7 / 2", 3.5],
  ["-7 % 4", -3],
  ["2 * -n", -14],
  ["0.1 + 0.2", 0.1 + 0.2],
  ["big + 1", new ExactNumber("9007199254740994")],
  [
    "big * big",
    new ExactNumber(
      "81129638414606735738984533475329".replace(/.*/, () => String(9007199254740993n ** 2n)),
    ),
  ],
  ["big - 9007199254740000", 993],
  ["9007199254740993", new ExactNumber("9007199254740993")],
  ["price * 2", 3],
  ["digits * 2", 24],
  ["digits + 1", "121"],
  ["number(digits) + 1", 13],
  ['"id-" + n', "id-7"],
  ['word + " " + word', "Ada Ada"],
  ["n == 7", true],
  ['n == "7"', true],
  ['digits == "12.0"', false],
  ["digits == 12.0", true],
  ["big == 9007199254740992", false],
  ["big > 9007199254740992", true],
  ["big >= 9007199254740993 and big <= 9007199254740993", true],
  ['word < "Bob"', true],
  ["digits < 9", false],
  ["price != 1.5", false],
  ["map == map", true],
  ["n > 5 and not (n > 8) or missing", true],
  ["n < 5 and missing", false],
  ["not n == 7", false],
  ['word matches "^A.a$"', true],
  ['n matches "[89]"', false],
  ['missing ?? "none"', "none"],
  ["none ?? 1 + 1", 2],
  ['(empty ?? "x") + "y"', "y"],
  ['missing ?? none ?? "last"', "last"],
  ["missing ?? 3 == 3", true],
  ["list[0]", 1],
  ["list[-1].c[0]", true],
  ["list[7] ?? 8", 8],
  ["map.id + 1", 6],
  ['map["two words"]', "x"],
  ["map.constructor", "own"],
  ["map.toString ?? 0", 0],
  ["list.length ?? 0", 0],
  ["word.length ?? 0", 0],
  ["big.text ?? 0", 0],
  ["map.__proto__ ?? 0", 0],
  ["length(list) + length(word)", 6],
  ["vu * 10 + iteration", 30],
  ["true", "a variable"],
  ["(true)", true],
  ['vars.host + "/x"', "h/x"],
  ['vars["host"]', "h"],
  ['env.HOME ?? "/root"', "/home"],
  ['env.NONE ?? "/root"', "/root"],
  ["env.NONE:-a b", "a b"],
  ["env.EMPTY:-d", "d"],
  ["env.HOME:-d", "/home"],
  ['"a\\n\\u0041\\"}"', 'a\nA"}'],
  ["'it is {x}'", "it is {x}"],
];

Deno.test("expressions evaluate to the values that their operators define", () => {
  const inputs = {
    variables: { ...VARIABLES, true: "a variable" },
    vars: { host: "h" },
    env: { HOME: "/home", EMPTY: "" },
  };
  for (const [source, value] of CASES) {
    assertEquals(JSON.stringify(evaluateExpression(source, inputs)), JSON.stringify(value), source);
  }
});

const FAULTS: readonly [source: string, message: string][] = [
  ["n / 0", "division by zero"],
  ["n % (n - 7)", "division by zero"],
  ["word * 2", 'not a number: "Ada"'],
  ["list + 1 < 2", "cannot compare"],
  ["list < 2", "cannot compare a list with 2"],
  ["missing + 1", 'the variable "missing" is not set'],
  ["map.nothing", 'a map has no member "nothing"'],
  ["1e308 * 10 * n", "the result is too large"],
  ["random_choice(word)", "expected a list"],
  ["random_int(n, 1)", "7 is greater than 1"],
  ["number(word)", "not a number"],
  ["jwt_decode(word)", "not a JSON Web Token"],
  ["date(word)", "unknown format"],
];

Deno.test("an expression that cannot be evaluated causes an error that states the reason", () => {
  for (const [source, message] of FAULTS) {
    assertThrows(
      () => evaluateExpression(source, { variables: { ...VARIABLES, missing: undefined } }),
      Error,
      message,
    );
  }
});

Deno.test("random functions return strings of the requested length, numbers in the requested range, or listed values", () => {
  for (let i = 0; i < 50; i++) {
    assertMatch(String(evaluateExpression("random_string(5)")), /^[A-Za-z0-9]{5}$/);
    assertMatch(
      String(evaluateExpression('random_string(n, "äö")', { variables: VARIABLES })),
      /^[äö]{7}$/,
    );
    const float = Number(evaluateExpression("random_float(1, 2)"));
    assertEquals(float >= 1 && float < 2, true);
    assertEquals(
      ["x", "y"].includes(evaluateExpression('random_choice("x", "y")') as string),
      true,
    );
    assertEquals(
      VARIABLES.list.includes(
        evaluateExpression("random_choice(list)", { variables: VARIABLES }) as string,
      ),
      true,
    );
  }
});

Deno.test("date() formats the current time in UTC with an offset", () => {
  assertMatch(
    String(evaluateExpression('date("iso")')),
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  );
  const days = (offset: string) =>
    Date.parse(String(evaluateExpression(`date("yyyy-MM-dd", ${offset})`))) / 86_400_000;
  assertEquals(days('"2d"') - days('"-1d"'), 3);
  assertEquals(days("86400 * 2") - days("0"), 2);
  assertMatch(
    String(evaluateExpression(`date("dd.MM.yyyy 'at' HH:mm:ss.SSS")`)),
    /^\d\d\.\d\d\.\d{4} at \d\d:\d\d:\d\d\.\d{3}$/,
  );
  assertMatch(String(evaluateExpression('date("http")')), /GMT$/);
  const seconds = Number(evaluateExpression('date("unix")'));
  assertEquals(Math.abs(seconds * 1_000 - Date.now()) < 60_000, true);
});

Deno.test("pkce_challenge() without an argument returns the challenge for the value of pkce_verifier()", () => {
  assertEquals(evaluateExpression("pkce_challenge() == pkce_challenge(pkce_verifier())"), true);
});

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

Deno.test("`truth` returns false for empty values, 0 and `false`", () => {
  for (const value of [null, false, 0, "", "false", [], {}, new ExactNumber("0.0")]) {
    assertEquals(truth(value), false, JSON.stringify(value));
  }
  for (const value of [true, 1, " ", "true", [0], { a: null }, new ExactNumber("0.1")]) {
    assertEquals(truth(value), true, JSON.stringify(value));
  }
});

Deno.test("messages about invalid numbers omit long strings, which may be secrets", () => {
  const secret = "AKIA-0123456789".repeat(5);
  const error = assertThrows(() => toNumber(secret), TemplateFault);
  assertEquals(error.message, "not a number: text of 75 characters");
});
