import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { runCli, runProcess } from "../../support/cli.ts";

const root = new URL("../../../", import.meta.url).pathname;
const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("schema prints the same schema as the docs", async () => {
  const { code, stdout } = await runCli(["schema"]);
  assertEquals(code, 0);
  assertEquals(stdout, Deno.readTextFileSync(join(root, "docs/plan.schema.json")));
});

Deno.test("validate needs no permissions for a plan on standard input", async () => {
  const plan = "scenarios:\n  main: {executor: constant-vus, vuss: 1, duration: 1s, flow: []}\n";
  const { code, stdout, stderr } = await runProcess([], ["validate", "-"], { stdin: bytes(plan) });
  assertEquals([code, stderr], [1, ""]);
  assertMatch(stdout, /^standard input:2:34: error\[unknown-key\] scenarios.main.vuss/);
});

Deno.test("validate needs permission to read the plan and each file that the plan names", async () => {
  const plan = join(root, "testdata/plans/every_key.yaml");
  const files = join(root, "testdata/plans/files");
  const allowed = await runProcess([`--allow-read=${plan},${files}`], ["validate", plan]);
  const next = `next: \`rehearse run ${plan} --once\`\n`;
  assertEquals([allowed.code, allowed.stderr], [0, next]);
  const unchecked = await runProcess([`--allow-read=${plan}`], [
    "validate",
    "--no-check-files",
    plan,
  ]);
  assertEquals([unchecked.code, unchecked.stderr], [0, next]);
  const refused = await runProcess([`--allow-read=${plan}`], ["validate", plan]);
  assertEquals([refused.code, refused.stdout], [1, ""]);
  assertMatch(
    refused.stderr,
    /^error: cannot read .*; add `--allow-read=.*files.*` to `deno run`\n$/,
  );
});
