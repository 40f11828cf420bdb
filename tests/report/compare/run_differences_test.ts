import { assertEquals } from "@std/assert";
import type { RunEnvironment, Summary } from "../../../src/engine/summary/summary.ts";
import { comparisonWarnings } from "../../../src/report/compare/run_differences.ts";
import { longSummary } from "../../builders/long_summary.ts";

const ENVIRONMENT: RunEnvironment = {
  version: "0.1.0",
  plan: "shop.yaml",
  targets: ["http://a:80"],
  options: [],
  cores: 4,
  workers: 2,
};
const [SCENARIO] = longSummary({ seconds: 5, endpoints: 1 }).scenarios;

/** Creates a run that has no warnings. */
function run(file: string, changes: Partial<Summary>, environment: Partial<RunEnvironment> = {}) {
  const { seed = file.charCodeAt(0) } = changes;
  const summary = longSummary({ seconds: 5, endpoints: 1, seed });
  const scenarios = [{ ...SCENARIO, dropped: 0, interrupted: 0, schedule_lag_us: null }];
  const conditions = { ...ENVIRONMENT, ...environment };
  return { file, summary: { ...summary, scenarios, environment: conditions, ...changes } };
}

Deno.test("comparisonWarnings returns nothing for runs under the same conditions", () => {
  assertEquals(comparisonWarnings([run("a", {}), run("b", {}), run("c", {})]), []);
});

Deno.test("comparisonWarnings lists the runs with a different target, version or machine", () => {
  const other = run("b", {}, { targets: ["http://b"], version: "0.2.0", cores: 8 });
  assertEquals(comparisonWarnings([run("a", {}), other, run("c", {})]), [
    "the runs had different targets: http://a:80 in a, c; http://b in b",
    "the runs had different versions of rehearse: 0.1.0 in a, c; 0.2.0 in b",
    "the runs had different machines: 2 workers on 4 cores in a, c; 2 workers on 8 cores in b",
  ]);
});

Deno.test("comparisonWarnings warns about different plans, unless targets or options explain the difference", () => {
  const hash = "2b".repeat(32);
  assertEquals(comparisonWarnings([run("a", {}), run("b", { plan_hash: hash })]), [
    "the runs had different plans or data files: shop.yaml (SHA-256 1a1a1a1a…) in a; " +
    "shop.yaml (SHA-256 2b2b2b2b…) in b",
  ]);
  // The same plan at another path is the same plan.
  assertEquals(comparisonWarnings([run("a", {}), run("b", {}, { plan: "copy.yaml" })]), []);
  const faster = run("b", { plan_hash: hash }, { options: ["--rate-scale 2"] });
  assertEquals(comparisonWarnings([run("a", {}), faster]), [
    "the runs had different options: none in a; --rate-scale 2 in b",
  ]);
});

Deno.test("comparisonWarnings warns about different durations, duplicate runs and runs in the wrong order", () => {
  assertEquals(comparisonWarnings([run("a", {}), run("b", { duration_ms: 60_000 })]), [
    "the runs had different durations: 5s in a, 1m in b",
  ]);
  assertEquals(comparisonWarnings([run("a", { seed: 1 }), run("b", {}), run("c", { seed: 1 })]), [
    "a and c contain the same run",
  ]);
  const earlier = run("b", { started_at: "2020-01-01T00:00:00.000Z" });
  assertEquals(comparisonWarnings([run("a", {}), earlier]), [
    "b started before a: list the files in chronological order",
  ]);
});

Deno.test("comparisonWarnings warns about incomplete runs", () => {
  const cut = run("a", { ending: "threshold" });
  assertEquals(comparisonWarnings([cut, run("b", { ending: "interrupted" })]), [
    "a is incomplete: ended by a threshold after 5s",
    "b is incomplete: interrupted",
  ]);
});

Deno.test("comparisonWarnings lists the warnings of the last run and names earlier runs with warnings", () => {
  const scenarios = [{ ...SCENARIO, dropped: 0, interrupted: 3, schedule_lag_us: null }];
  const warned = (file: string) => run(file, { scenarios });
  const text = "browse: 3 iterations cut off: still running when `graceful_stop` expired";
  assertEquals(comparisonWarnings([warned("a"), warned("b")]), [`a: ${text}`, `b: ${text}`]);
  assertEquals(comparisonWarnings([warned("a"), run("b", {}), warned("c")]), [
    `c: ${text}`,
    "earlier runs have warnings too, which `rehearse report FILE` shows: a",
  ]);
});

Deno.test("comparisonWarnings shortens long lists of files", () => {
  const many = Array.from({ length: 9 }, (_, i) => run(`${i}`, {}));
  const [warning] = comparisonWarnings([...many, run("x", {}, { version: "9" })]);
  assertEquals(
    warning,
    "the runs had different versions of rehearse: 0.1.0 in 0, 1, 2, 3, 4 and 4 more; 9 in x",
  );
});
