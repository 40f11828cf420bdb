import { assertEquals } from "@std/assert";
import { loadPlan } from "../../src/plan/load_plan.ts";
import { printPlan } from "../../src/plan/print.ts";

const plan = (foreach: string, retry: string, thresholds: string) => `
scenarios:
  main:
    executor: constant-vus
    vus: 1
    duration: 1s
    flow:
      - group:
          name: g
          steps:
            - random:
                choices:
                  - steps:
                      - foreach: {items: [1], ${foreach}, steps: [{think_time: 1s}]}
      - parallel:
          branches:
            - - retry: {${retry}, until: "true", steps: [{think_time: 1s}]}
thresholds:
  http_req_failed: ${thresholds}
`;
const OURS = plan("as: item", "attempts: 3", "[rate<0.1]");

Deno.test("a threshold that uses loadr's `slo` is read as a percentile", () => {
  const read = (thresholds: string) => {
    const { plan: read, diagnostics } = loadPlan(
      OURS.replace("http_req_failed: [rate<0.1]", `http_req_duration: ${thresholds}`),
    );
    assertEquals(diagnostics, []);
    return read!.thresholds;
  };
  const theirs = read(
    '["slo(99%) < 300ms", "slo(99.9)<1s", {threshold: "slo(50%) <= 100", abort_on_fail: true}]',
  );
  const ours = read(
    '["p(99) < 300ms", "p(99.9)<1s", {threshold: "p(50) <= 100", abort_on_fail: true}]',
  );
  assertEquals(theirs, ours);
});

Deno.test("a plan with loadr's names is read as the same plan, and printed with rehearse's names", () => {
  const ours = loadPlan(OURS);
  const theirs = loadPlan(plan("var: item", "times: 3", '"rate<0.1"'));
  assertEquals([...ours.diagnostics, ...theirs.diagnostics], []);
  assertEquals(theirs.plan, ours.plan);
  assertEquals(printPlan(theirs.plan!, []), printPlan(ours.plan!, []));
});

Deno.test("a step that contains both an alias and the name that the alias replaces causes an error", () => {
  const { diagnostics } = loadPlan(
    plan("as: a, var: b", "attempts: 3, times: 4", "[rate<1]"),
  );
  assertEquals(diagnostics.map(({ code, path }) => [code, path.at(-1)]), [
    ["unknown-key", "var"],
    ["unknown-key", "times"],
  ]);
});

Deno.test("an error in the value of an alias is reported at the line that contains the alias", () => {
  const { diagnostics } = loadPlan(plan("var: 1a", "times: 0", "[rate<1]"));
  assertEquals(diagnostics.map(({ code, line }) => [code, line]), [["bad-name", 14], [
    "bad-value",
    17,
  ]]);
});

Deno.test("a step named after an inherited property, such as toString, is rejected as an unknown step", () => {
  for (const name of ["valueOf", "toString", "__proto__"]) {
    const { diagnostics } = loadPlan(
      OURS.replace("- group:", `- ${name}: {}\n      - group:`),
    );
    assertEquals(diagnostics.map(({ code }) => code), ["unknown-key"]);
  }
});
