import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { runCli, runProcess } from "../../support/cli.ts";
import { CliFolder } from "../../support/cli_folder.ts";

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

Deno.test("validate counts the requests in `setup` and `teardown`", async () => {
  const plan = `
setup: [{request: {url: "http://t.example/login"}}]
teardown: [{request: {url: "http://t.example/logout"}}]
scenarios:
  main:
    executor: constant-vus
    vus: 1
    duration: 1s
    flow: [{request: {url: "http://t.example/"}}]
`;
  const { stdout } = await runCli(["validate", "-"], { stdin: bytes(plan) });
  assertStringIncludes(stdout, "standard input: valid (1 scenario, 3 requests)\n");
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

Deno.test("commands recognize a summary, a plan or an HTML page that is passed by mistake", async () => {
  using folder = new CliFolder({
    "summary.json": '{\n  "schema": 2,\n  "scenarios": {}\n}\n',
    "plan.yaml": "scenarios:\n  main: {}\n",
    "report.html": "<!doctype html>\n<title>x</title>\n",
  });
  for (const command of ["validate", "run", "diff ./summary.json"]) {
    const { code, stdout, stderr } = await folder.run(`${command} ./summary.json`);
    assertEquals(code, 1);
    assertStringIncludes(stdout + stderr, "this is a summary of a run, not a plan");
    assertStringIncludes(stdout + stderr, "`rehearse report ./summary.json`");
  }
  for (
    const [name, kind] of [
      ["summary.json", "a summary of a run"],
      ["plan.yaml", "a plan"],
      ["report.html", "an HTML page"],
    ]
  ) {
    const { code, stderr } = await folder.run(`convert ./${name}`);
    assertEquals(code, 1);
    assertStringIncludes(stderr, `this is ${kind}, not an access log or a HAR`);
  }
});

Deno.test("run suggests a URL if no file exists at the given path and the path looks like a URL", async () => {
  const cases = [
    ["127.0.0.1:8080/products", "did you mean the URL http://127.0.0.1:8080/products?"],
    ["http:/shop.example/a", "did you mean the URL http://shop.example/a?"],
    ["https:shop.example", "did you mean the URL https://shop.example?"],
    ["ftp://shop.example/a", "only http:// and https:// URLs are allowed"],
  ];
  for (const [path, hint] of cases) {
    const { code, stderr } = await runCli(["run", path]);
    assertEquals(code, 2);
    assertStringIncludes(stderr, hint);
  }
  const { code, stderr } = await runCli(["run", "none/plan.yaml"]);
  assertEquals(code, 1);
  assertStringIncludes(stderr, "there is no such file");
});
