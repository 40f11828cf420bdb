import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { isMap } from "../../src/base/exact_number.ts";
import { loadPlan } from "../../src/plan/load_plan.ts";
import { printPlan, quoted } from "../../src/plan/print.ts";
import { LineIndex, type Path } from "../../src/plan/rules/diagnostic.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { mapTree } from "../../src/plan/parse_tree.ts";
import { hostilePlan, hostileText } from "../builders/hostile_plan.ts";

Deno.test("mapTree finds each key of any printed plan", () => {
  fc.assert(fc.property(hostilePlan, hostileText, (plan, comment) => {
    const text = printPlan(plan, [comment]);
    const tree = mapTree(text, true);
    for (const path of pathsOf(plan)) {
      const [key, at] = [String(path.at(-1)), tree.find(path, true)];
      assert(text.startsWith(key, at) || text.startsWith(quoted(key), at), JSON.stringify(path));
    }
  }));
});

/** Returns the path of each key that is not below a list. */
function pathsOf(value: unknown, path: Path = []): Path[] {
  if (!isMap(value)) return [];
  return Object.entries(value).filter(([, item]) => item !== undefined).flatMap(([key, item]) => [
    [...path, key],
    ...pathsOf(item, [...path, key]),
  ]);
}

Deno.test("loadPlan reports the position of an error in a plan that is too large for a syntax tree", () => {
  const flow = Array.from(
    { length: 30_000 },
    (_, i) => ({ request: { url: `https://a/${i}/${"x".repeat(50)}` } }),
  );
  flow[29_999].request.url = "ftp://a/";
  const main = { executor: "constant-vus", vus: 1, duration: "1s", flow } as const;
  const text = printPlan({ scenarios: { main } } as Plan, []);
  assert(text.length > 2_000_000);
  const { diagnostics } = loadPlan(text);
  assertEquals(diagnostics.map(({ code, line, column, after }) => [code, line, column, after]), [
    ["bad-url", text.split("\n").length - 1, 16, "ftp://a/"],
  ]);
});

Deno.test("LineIndex converts an offset to its line, its column and the text before and after it", () => {
  const index = new LineIndex("ab\r\n\ncde" + "f".repeat(100));
  const { line, column, before, after } = index.place(6);
  assertEquals([line, column, before, after], [3, 2, "c", "de" + "f".repeat(58) + "…"]);
  assertEquals(index.place(1), { line: 1, column: 2, before: "a", after: "b" });
  assertEquals(index.place(4).line, 2);
  assertEquals(index.place(1_000).before, "…" + "f".repeat(60));
  assertEquals(index.offset(3, 2), 6);
});
