import fc, { ANY_CHARACTER } from "fast-check";
import type { Plan } from "../../src/plan/schema/plan.ts";

const LOOKALIKES = [
  ..."no,yes,on,off,y,N,true,null,~,Null,.inf,-.Inf,.nan,nan,1e3,0o17,012,0x1F,0b11,1:30,1_000"
    .split(","),
  ..."2001-01-01,<<,=,- x,-,--- ,...,? x,: x,a: b,a #b,#,&a,*a,!t,%d,@a,`a,|,>,[a],{a: 1},'a,\"a"
    .split(","),
  ..."10s,1m30s,0,00s,10d,1.,.5,+1,-0,1e,e1,a:,:a,a:b,a ,  a,$a,${x},$${x},__proto__,constructor"
    .split(","),
  ...[
    ...["", "a,b", "a, b", "a\nb", "a\n", "\n", "\r\n", "a\tb", "\x00", "\x1b[31m", "\x7f", "\x85"],
    "\x9b",
  ],
  ...[
    ...["\u2028", "\u2029", "\ufeff", "\u202e", "\ud800", "a\udc00b", "\uffff", "\u{1fffe}"],
    ...["\u{e0001}", "\u{f0000}"],
  ],
  ...[
    "é",
    "😀",
    "日本語",
    "\xa0",
    "\xad",
    "http://a.b/c?d=e&f=g",
    "GET /a/${vars.id}",
    "x".repeat(2_000),
    '"\\\\"',
  ],
];
/** Generates strings that a YAML parser could misinterpret. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...LOOKALIKES),
  fc.string({ unit: ANY_CHARACTER }),
  fc.tuple(fc.constantFrom(...LOOKALIKES), fc.constantFrom(...LOOKALIKES)).map(([a, b]) => a + b),
  fc.string({ unit: fc.constantFrom(..."a1 .:-#?&*!|>'\"%@`,[]{}<=~\n\t_/") }),
  fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units)),
);
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.constantFrom(-0, 1e21, 1e-7, 5e-324, 1.7976931348623157e308, 12345678901234567890, 1e300, 0.1),
);
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    hostileText,
    number,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 4 }),
    mapOf(tie("value")),
  ),
})).value;

function mapOf<T>(value: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> {
  const entries = fc.uniqueArray(fc.tuple(hostileText, value), {
    maxLength: 4,
    selector: ([key]) => key,
  });
  return entries.map(Object.fromEntries);
}

/** Generates plans with hostile text in every kind of position, including keys. */
export const hostilePlan: fc.Arbitrary<Plan> = fc.record({
  name: hostileText,
  description: hostileText,
  variables: mapOf(fc.oneof(hostileText, number, fc.boolean())),
  scenario: hostileText,
  headers: mapOf(hostileText),
  body: json,
}).map(({ name, description, variables, scenario, headers, body }): Plan => ({
  scenarios: Object.fromEntries([[scenario, {
    flow: [{ request: { body: { json: body as never }, headers, url: name } }, {
      think_time: "1s",
    }],
    duration: "10s",
    vus: 1,
    executor: "constant-vus",
  }]]),
  variables,
  description,
  name,
}));
