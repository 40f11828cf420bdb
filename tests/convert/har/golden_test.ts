import { assertEquals } from "@std/assert";
import { parseYaml } from "../../../src/base/yaml.ts";
import { withDoubles } from "../../../src/plan/normalize_plan.ts";
import { checkPlan } from "../../../src/plan/check_plan.ts";
import { type Golden, goldensOf, goldenText } from "./golden.ts";

for (const set of ["labelled", "real"] as const) {
  for (const golden of goldensOf(set)) {
    Deno.test(`convert creates the golden plan for ${set}/${golden.name}.har`, () => check(golden));
  }
}

Deno.test("every golden plan belongs to a recording", () => {
  for (const set of ["labelled", "real"] as const) {
    const goldens = Deno.readDirSync(
      new URL(`../../../testdata/har/golden/${set}/`, import.meta.url),
    );
    assertEquals(
      [...goldens].map(({ name }) => name).sort(),
      goldensOf(set).map(({ name }) => `${name}.yaml`),
    );
  }
});

/**
 * Fails if the golden file is out of date. To update it, run `deno task update` and
 * review the difference.
 */
async function check(golden: Golden): Promise<void> {
  const text = await goldenText(golden);
  assertEquals(text, await Deno.readTextFile(golden.golden));
  if (!text.includes("scenarios:")) return;
  assertEquals(
    checkPlan(withDoubles(parseYaml(text))),
    [],
  );
}
