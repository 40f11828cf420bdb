import { assert, assertEquals } from "@std/assert";
import { loadBacktrackingSearch } from "../../../src/base/regex_backtracking.ts";
import { parseYaml } from "../../../src/base/yaml.ts";
import { withDoubles } from "../../../src/plan/doubles.ts";
import { checkPlan } from "../../../src/plan/check_plan.ts";
import { type Golden, goldensOf, goldenText } from "./golden.ts";

for (const golden of goldensOf("labelled")) {
  Deno.test(`labelled recording ${golden.name} has the reviewed plan, which is valid`, () =>
    check(golden));
}

const shared = goldensOf("shared");
for (const golden of shared) {
  Deno.test(`real recording ${golden.name} has the reviewed plan, which is valid`, () =>
    check(golden));
}

Deno.test({
  name: `real recordings${shared.length > 0 ? "" : " left out: ../shared/data/har is not there"}`,
  ignore: shared.length === 0,
  fn: () => assertEquals(shared.length, 12),
});

Deno.test("there are labelled recordings", () => assert(goldensOf("labelled").length >= 20));

/** Fails if the golden file is stale: regenerate it with `scripts/update_har_golden.ts` and review it. */
async function check(golden: Golden): Promise<void> {
  const text = await goldenText(golden);
  assertEquals(text, await Deno.readTextFile(golden.golden));
  if (!text.includes("scenarios:")) return;
  const backtrackingGroup = await loadBacktrackingSearch();
  assertEquals(checkPlan(withDoubles(parseYaml(text)), { syntax: { backtrackingGroup } }), []);
}
