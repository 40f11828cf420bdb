import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { planFiles } from "../../src/cli/input/read_documents.ts";
import { formatPath } from "../../src/plan/rules/diagnostic.ts";
import { loadPlan } from "../../src/plan/load_plan.ts";

const PLANS = fromFileUrl(new URL("../../testdata/plans/", import.meta.url));
const BROKEN = `${PLANS}broken/`;

/** Returns one line per diagnostic, in the format of the `.expected` files of the broken plans. */
function faultsOf(path: string): string[] {
  const { plan, diagnostics } = loadPlan(Deno.readFileSync(path), { files: planFiles(path) });
  assertEquals(plan === undefined, diagnostics.some(({ severity }) => severity === "error"));
  return diagnostics.map(({ line, column, severity, code, path }) =>
    `${line}:${column} ${severity} ${code} ${formatPath(path)}`.trimEnd()
  );
}

for (const { name } of Deno.readDirSync(BROKEN)) {
  if (!name.endsWith(".yaml")) continue;
  Deno.test(`loadPlan reports every error in ${name} at its position`, () => {
    const expected = Deno.readTextFileSync(BROKEN + name.replace(/yaml$/, "expected"));
    assertEquals((faultsOf(BROKEN + name)).join("\n") + "\n", expected);
  });
}

Deno.test("a plan with every key has no diagnostics", () => {
  assertEquals(faultsOf(`${PLANS}every_key.yaml`), []);
});

Deno.test("loadPlan checks files only if the option `files` is set", () => {
  const plan = Deno.readTextFileSync(`${BROKEN}data.yaml`);
  const codes = (loadPlan(plan)).diagnostics.map(({ code }) => code);
  assert(!codes.includes("missing-file"));
});

Deno.test("loadPlan accepts a byte order mark", () => {
  const { plan } = loadPlan(Deno.readFileSync(`${PLANS}every_key.yaml`));
  const marked = "\ufeff" + Deno.readTextFileSync(`${PLANS}every_key.yaml`);
  assertEquals((loadPlan(marked)).plan, plan);
  assertEquals((loadPlan(new TextEncoder().encode(marked))).plan, plan);
});

Deno.test("loadPlan rejects VU counts and rates above the limits", () => {
  const errorsOf = (load: string) => {
    const plan = `scenarios: {s: {${load}, flow: [{request: {url: "http://t/"}}]}}`;
    return (loadPlan(plan)).diagnostics.map(({ code, path }) =>
      `${code} ${formatPath(path.slice(2))}`
    );
  };
  const arrivals = "duration: 1s, pre_allocated_vus: 1";
  const cases: [string, string[]][] = [
    ["executor: constant-vus, vus: 1000000, duration: 1s", []],
    ["executor: constant-vus, vus: 1000001, duration: 1s", ["bad-value vus"]],
    ["executor: ramping-vus, stages: [{duration: 1s, target: 1e9}]", [
      "bad-value stages[0].target",
    ]],
    [`executor: constant-arrival-rate, rate: 10000000, ${arrivals}`, []],
    [`executor: constant-arrival-rate, rate: 10000001, ${arrivals}`, ["bad-value rate"]],
    [`executor: constant-arrival-rate, rate: 1e8, time_unit: 1m, ${arrivals}`, []],
    [`executor: constant-arrival-rate, rate: 1, ${arrivals}, max_vus: 1e9`, ["bad-value max_vus"]],
    [
      "executor: ramping-arrival-rate, stages: [{duration: 1s, target: 1e9}], pre_allocated_vus: 1",
      ["bad-value stages[0].target"],
    ],
  ];
  for (const [load, errors] of cases) assertEquals(errorsOf(load), errors, load);
});

Deno.test("loadPlan lists at most 100 diagnostics and states how many are omitted", () => {
  const scenario = (i: number) => `  s${i}: {executor: nope, flow: [{request: {urll: /}}]}\n`;
  const { diagnostics } = loadPlan(
    "scenarios:\n" + Array.from({ length: 500 }, (_, i) => scenario(i)).join(""),
  );
  assertEquals(diagnostics.length, 101);
  assertEquals(diagnostics.at(-1)?.code, "too-many-diagnostics");
  assertEquals(diagnostics.at(-1)?.severity, "error");
  assert(diagnostics.at(-1)!.message.startsWith("900 more"), diagnostics.at(-1)!.message);
  assertEquals(diagnostics.slice(0, 100).every(({ severity }) => severity === "error"), true);
});

Deno.test("loadPlan checks the expression of an extractor whose `type` is written with YAML escape sequences", () => {
  const kinds = ["j\\x73onpath", "\\u0063ss", "xpat\\U00000068", `json\\\n${" ".repeat(20)}path`];
  for (const kind of kinds) {
    const plan = `scenarios:
  main:
    executor: constant-vus
    vus: 1
    duration: 10s
    flow:
      - request:
          url: https://shop.example/
          extract: [{type: "${kind}", name: token, expression: "$[["}]
`;
    const codes = (loadPlan(plan)).diagnostics.map(({ code }) => code);
    assert(codes.some((code) => /^bad-(jsonpath|css|xpath)$/.test(code)), `${kind}: ${codes}`);
  }
});
