import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import fc from "fast-check";
import { planFiles } from "../../src/cli/plan_files.ts";
import { formatPath } from "../../src/plan/diagnostic.ts";
import { loadPlan } from "../../src/plan/load.ts";
import { loadedOrExplained, planNoise } from "../support/plan_noise.ts";

const PLANS = fromFileUrl(new URL("../../testdata/plans/", import.meta.url));
const BROKEN = `${PLANS}broken/`;

/** One line a diagnostic, as the `.expected` files beside the broken plans have them. */
async function faultsOf(path: string): Promise<string[]> {
  const { plan, diagnostics } = await loadPlan(Deno.readFileSync(path), { files: planFiles(path) });
  assertEquals(plan === undefined, diagnostics.some(({ severity }) => severity === "error"));
  return diagnostics.map(({ line, column, severity, code, path }) =>
    `${line}:${column} ${severity} ${code} ${formatPath(path)}`.trimEnd()
  );
}

for (const { name } of Deno.readDirSync(BROKEN)) {
  if (!name.endsWith(".yaml")) continue;
  Deno.test(`everything wrong with ${name} is found, each fault at its place`, async () => {
    const expected = Deno.readTextFileSync(BROKEN + name.replace(/yaml$/, "expected"));
    assertEquals((await faultsOf(BROKEN + name)).join("\n") + "\n", expected);
  });
}

Deno.test("a plan with every key has nothing wrong", async () => {
  assertEquals(await faultsOf(`${PLANS}every_key.yaml`), []);
});

Deno.test("files are looked for only when asked", async () => {
  const plan = Deno.readTextFileSync(`${BROKEN}data.yaml`);
  const codes = (await loadPlan(plan)).diagnostics.map(({ code }) => code);
  assert(!codes.includes("missing-file"));
});

Deno.test("a byte order mark is no fault", async () => {
  const { plan } = await loadPlan(Deno.readFileSync(`${PLANS}every_key.yaml`));
  const marked = "\ufeff" + Deno.readTextFileSync(`${PLANS}every_key.yaml`);
  assertEquals((await loadPlan(marked)).plan, plan);
  assertEquals((await loadPlan(new TextEncoder().encode(marked))).plan, plan);
});

Deno.test("whatever the text or the bytes, there comes a plan or diagnostics", async () => {
  await fc.assert(fc.asyncProperty(planNoise, async (text) => void await loadedOrExplained(text)), {
    numRuns: 400,
  });
});
