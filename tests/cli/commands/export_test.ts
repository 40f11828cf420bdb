import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { runCli } from "../../support/cli.ts";
import { CliFolder } from "../../support/cli_folder.ts";

const PLAN = `
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
  using folder = new CliFolder({ "plan.yaml": PLAN });
  const { code, stdout, stderr } = await folder.run("export k6 ./plan.yaml");
  assertEquals([code, stderr], [0, ""]);
  assertMatch(stdout, /^\/\/ k6 script of small, exported from plan\.yaml by rehearse \d/);
  assertStringIncludes(stdout, 'const BASE_URL = env("BASE_URL");');
  const written = await folder.run("export k6 ./plan.yaml -o", ["./a b.js"]);
  const next = "next: `k6 run -e 'BASE_URL=http://127.0.0.1:8080' './a b.js'`\n";
  assertEquals(written, { code: 0, stdout: "", stderr: next });
  assertEquals(folder.read("a b.js"), stdout);
  const input = await folder.run("export k6 -", [], { stdin: PLAN });
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
    `${PLAN}env: {staging: {defaults: {http: {base_url: "https://staging.example/x/"}}}}`;
  const { stdout } = await runCli(["export", "k6", "-", "--env", "staging"], { stdin });
  assertStringIncludes(stdout, '__ENV.BASE_URL || "https://staging.example/x";');
});

for (
  const [line, exit, message] of [
    ["export", 2, "no target: expected k6, as in `rehearse export k6 plan.yaml`"],
    ["export k7 plan.yaml", 2, 'cannot export to k7: expected k6; did you mean "k6"?'],
    ["export k6", 2, "expected one plan to export (- for standard input)"],
    ["export k6 a b", 2, "but got 2"],
    ["export k6 -", 1, "no-scenarios"],
    ["export k6 missing.yaml", 1, "missing.yaml"],
  ] as const
) {
  Deno.test(`\`${line}\` is an error: ${message}`, async () => {
    const { code, stdout, stderr } = await runCli(line.split(" "), { stdin: "scenarios: {}" });
    assertEquals([code, stdout], [exit, ""]);
    assertStringIncludes(stderr, message);
  });
}
