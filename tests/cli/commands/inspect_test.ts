import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { cli } from "../../../src/cli/cli.ts";
import { denoIo } from "../../../src/cli/system/io.ts";
import { startDemo } from "../../../src/demo/server.ts";
import { runCli, runProcess, runUntilCtrlC } from "../../support/cli.ts";
import { CliFolder } from "../../support/cli_folder.ts";

Deno.test("inspect predicts the number of requests that a run sends", async () => {
  const demo = startDemo({ catchAll: true });
  using folder = new CliFolder({
    "plan.yaml": `
scenarios:
  main:
    executor: shared-iterations
    vus: 2
    iterations: 20
    flow:
      - repeat: {times: 3, steps: [{request: {url: "${demo.origin}/a"}}]}
      - random: {choices: [{steps: [{request: {url: "${demo.origin}/b"}}]}]}
`,
  });
  const inspected = await folder.run("inspect ./plan.yaml --format json");
  await folder.run("run ./plan.yaml --quiet");
  assertEquals(JSON.parse(inspected.stdout).requests, demo.stats().requests);
  await demo.stop();
});

const SMALL_PLAN = `
name: small
scenarios:
  main:
    executor: constant-vus
    vus: 1
    duration: 10s
    flow: [{request: {url: /a}}]
`;
const DATA = `
data: {users: {type: csv, path: data/users.csv}}
scenarios:
  main:
    executor: constant-vus
    vus: 1
    duration: 10s
    flow: [{request: {url: "http://a.example/\${data.users.id}"}}]
`;

Deno.test("export prints a script, or writes it to the -o file and prints the next command", async () => {
  using folder = new CliFolder({ "plan.yaml": SMALL_PLAN });
  const { code, stdout, stderr } = await folder.run("export k6 ./plan.yaml");
  assertEquals([code, stderr], [0, ""]);
  assertMatch(stdout, /^\/\/ k6 script of small, exported from plan\.yaml by rehearse \d/);
  assertStringIncludes(stdout, 'const BASE_URL = env("BASE_URL");');
  const written = await folder.run("export k6 ./plan.yaml -o", ["./a b.js"]);
  const next = "next: `k6 run -e 'BASE_URL=http://127.0.0.1:8080' './a b.js'`\n";
  assertEquals(written, { code: 0, stdout: "", stderr: next });
  assertEquals(folder.read("a b.js"), stdout);
  const input = await folder.run("export k6 -", [], { stdin: SMALL_PLAN });
  assertEquals(input.stdout.replace("standard input", "plan.yaml"), stdout);
});

Deno.test("an exported script refers to files by paths relative to its own folder", async () => {
  using folder = new CliFolder({ "with_data.yaml": DATA });
  for (const name of ["data", "k6"]) Deno.mkdirSync(`${folder.path}/${name}`);
  folder.write("data/users.csv", "id\n1\n");
  for (const [to, path] of [["s.js", "./data/users.csv"], ["k6/s.js", "../data/users.csv"]]) {
    assertEquals((await folder.run(`export k6 ./with_data.yaml -o ./${to}`)).code, 0);
    assertStringIncludes(folder.read(to), `open("${path}")`);
  }
  const same = await folder.run("export k6 ./with_data.yaml -o ./data/users.csv");
  assertEquals(same.code, 2);
  assertStringIncludes(same.stderr, "already uses the file");
});

Deno.test("export lists what k6 does differently, and --strict exits with 3 if a difference needs action", async () => {
  const run = (...options: string[]) =>
    runCli(["export", "k6", "testdata/plans/every_key.yaml", ...options]);
  const { code, stdout, stderr } = await run("--strict");
  assertEquals(code, 3);
  assertStringIncludes(stderr, "warning[k6-omitted] ");
  assertStringIncludes(stdout, "\nexport const options = {\n");
  const [first] = (await run("--warnings", "json")).stderr.split("\n");
  assertEquals(Object.keys(JSON.parse(first)), ["level", "code", "subject", "message"]);
});

Deno.test("export --env applies an overlay", async () => {
  const stdin =
    `${SMALL_PLAN}env: {staging: {defaults: {http: {base_url: "https://staging.example/x/"}}}}`;
  const { stdout } = await runCli(["export", "k6", "-", "--env", "staging"], { stdin });
  assertStringIncludes(stdout, '__ENV.BASE_URL || "https://staging.example/x";');
});

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

const SHOP = fromFileUrl(new URL("../../../src/demo/sample/session.har", import.meta.url));

Deno.test("serve runs until Ctrl-C and then prints the number of requests", async () => {
  const { code, stdout, stderr } = await runUntilCtrlC(["serve", SHOP, "--port", "0"]);
  assertEquals(code, 0);
  assertMatch(stderr, /^next: in another terminal, run `rehearse run plan.yaml --base-url \S+`\n$/);
  assertMatch(
    stdout,
    /^The mock server for http\S+ is at http:\/\/127\.0\.0\.1:\d+ \(press Ctrl-C to stop\)\n0 requests: 0 matched the recording, 0 differed, 0 not in the recording; 0 stale values\n$/,
  );
});

Deno.test("demo runs until Ctrl-C and then prints the number of requests", async () => {
  const { code, stdout, stderr } = await runUntilCtrlC(["demo", "--port", "0", "--catch-all"]);
  assertEquals(code, 0);
  assertMatch(stderr, /^next: in another terminal, `rehearse demo --sample samples` .*\n$/);
  assertMatch(stdout, /^The demo shop is at http:\/\/127\.0\.0\.1:\d+ \(press Ctrl-C to stop\)\n/);
  assertStringIncludes(stdout, "Served 0 requests");
});

Deno.test("demo and serve handle a Ctrl-C that immediately follows their first output", async () => {
  const recording = fromFileUrl(new URL("../../../src/demo/sample/session.har", import.meta.url));
  for (const command of [["demo"], ["serve", recording]]) {
    let end = () => assert(false, "printed before it listens");
    const sink = (write: (text: string) => void) => ({ write, columns: () => undefined });
    const code = await cli([...command, "--port", "0"], {
      ...denoIo(),
      stdout: sink((text) => text.includes(" is at http") && end()),
      stderr: sink((text) => assertMatch(text, /^next: in another terminal, .*\n$/)),
      interrupts: (act) => {
        end = act;
        return () => {};
      },
    });
    assertEquals(code, 0);
  }
});

Deno.test("demo rejects invalid ports and ports that are in use", async () => {
  const server = startDemo();
  try {
    const { port } = new URL(server.origin);
    const cases: [string, string][] = [
      [port, `cannot listen on port ${port}: it is in use; try \`--port 0\``],
      ["70000", "--port cannot be 70000: expected a whole number from 0 to 65535"],
      ["-1", "--port"],
      ["many", "--port cannot be many: expected a whole number from 0 to 65535"],
    ];
    for (const [given, message] of cases) {
      const { code, stderr } = await runCli(["demo", `--port=${given}`]);
      assertEquals(code, 2);
      assert(stderr.includes(message), stderr);
    }
  } finally {
    await server.stop();
  }
});
