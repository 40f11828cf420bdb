import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import * as yaml from "yaml";
import { parseYaml } from "../../src/base/yaml.ts";
import { printPlan } from "../../src/plan/print.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";

const LOOKALIKES = [
  ..."no,yes,on,off,y,N,true,null,~,Null,.inf,-.Inf,.nan,nan,1e3,0o17,012,0x1F,0b11,1:30,1_000"
    .split(","),
  ..."2001-01-01,<<,=,- x,-,--- ,...,? x,: x,a: b,a #b,#,&a,*a,!t,%d,@a,`a,|,>,[a],{a: 1},'a,\"a"
    .split(","),
  ..."10s,1m30s,0,00s,10d,1.,.5,+1,-0,1e,e1,a:,:a,a:b,a ,  a,$a,${x},$${x},__proto__,constructor"
    .split(","),
  ...[
    "",
    "a,b",
    "a, b",
    "a\nb",
    "a\n",
    "\n",
    "\r\n",
    "a\tb",
    "\x00",
    "\x1b[31m",
    "\x7f",
    "\x85",
    "\x9b",
  ],
  ...[
    "\u2028",
    "\u2029",
    "\ufeff",
    "\u202e",
    "\ud800",
    "a\udc00b",
    "\uffff",
    "\u{1fffe}",
    "\u{e0001}",
    "\u{f0000}",
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
const text = fc.oneof(
  fc.constantFrom(...LOOKALIKES),
  fc.string({ unit: "binary" }),
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
    text,
    number,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 4 }),
    mapOf(tie("value")),
  ),
})).value;

function mapOf<T>(value: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> {
  const entries = fc.uniqueArray(fc.tuple(text, value), { maxLength: 4, selector: ([key]) => key });
  return entries.map(Object.fromEntries);
}

const plan = fc.record({
  name: text,
  description: text,
  variables: mapOf(fc.oneof(text, number, fc.boolean())),
  scenario: text,
  headers: mapOf(text),
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

Deno.test("a printed plan reads back as itself, whoever reads it", () => {
  fc.assert(fc.property(plan, text, (plan, comment) => {
    const printed = printPlan(plan, [comment, "made for a test"]);
    assertEquals(parseYaml(printed), plan);
    for (const version of ["1.1", "1.2"] as const) {
      const read = yaml.parseDocument(printed, { version, logLevel: "silent", uniqueKeys: true });
      assertEquals(read.errors, []);
      assertEquals(read.toJS(), plan, version);
    }
  }));
});

Deno.test("nothing that a terminal could obey stands raw in a plan", () => {
  fc.assert(fc.property(plan, text, (plan, comment) => {
    const printed = printPlan(plan, [comment]).replaceAll("\n", "");
    assert(!/\p{Cc}|\p{Cf}|\p{Cs}|\p{Co}|\p{Zl}|\p{Zp}|\p{Noncharacter_Code_Point}/u.test(printed));
  }));
});

const scenarios: Plan["scenarios"] = {
  replayed_traffic: {
    flow: [{
      random: {
        choices: [{
          steps: [{ request: { url: "/orders/${vars.id}", method: "GET" } }],
          name: "GET /orders/${vars.id}",
          weight: 3,
        }],
        strategy: "weighted",
      },
    }],
    max_vus: 8,
    pre_allocated_vus: 4,
    duration: "10s",
    rate: 2.5,
    executor: "constant-arrival-rate",
  },
};

Deno.test("keys stand in the schema's order, scalars bare where they can", () => {
  const plan: Plan = { scenarios, variables: { id: "1" }, name: "access log replay" };
  assertEquals(
    printPlan(plan, ["Made from a log.", "", "\x1b[31mred"]),
    `# Made from a log.
#
# \\x1b[31mred

name: access log replay
variables:
  id: "1"
scenarios:
  replayed_traffic:
    executor: constant-arrival-rate
    rate: 2.5
    duration: 10s
    pre_allocated_vus: 4
    max_vus: 8
    flow:
      - random:
          strategy: weighted
          choices:
            - weight: 3
              name: GET /orders/\${vars.id}
              steps:
                - request:
                    method: GET
                    url: /orders/\${vars.id}
`,
  );
});

Deno.test("keys without a value are left out, empty values are flow", () => {
  const plan = { name: undefined, variables: {}, outputs: [], scenarios: {} };
  assertEquals(printPlan(plan, []), "variables: {}\nscenarios: {}\noutputs: []\n");
});

Deno.test("deep JSON prints and reads back", () => {
  let deep: unknown = 1;
  for (let i = 0; i < 450; i++) deep = i % 2 ? [deep, "no"] : { "a: b": deep };
  const plan = { scenarios: { deep } } as unknown as Plan;
  const printed = printPlan(plan, []);
  assertEquals(parseYaml(printed), plan);
  assertEquals(yaml.parse(printed), plan);
});
