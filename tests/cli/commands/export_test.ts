import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { runCli } from "../../support/cli.ts";
import { TempFolder } from "../../support/temp_folder.ts";

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
  await inFolder(async (folder) => {
    const { code, stdout, stderr } = await runCli(["export", "k6", `${folder}/plan.yaml`]);
    assertEquals([code, stderr], [0, ""]);
    assertMatch(stdout, /^\/\/ k6 script of small, exported from plan\.yaml by rehearse \d/);
    assertStringIncludes(stdout, 'const BASE_URL = env("BASE_URL");');
    const written = await runCli(["export", "k6", `${folder}/plan.yaml`, "-o", `${folder}/a b.js`]);
    assertEquals([written.code, written.stdout], [0, ""]);
    assertEquals(
      written.stderr,
      `next: \`k6 run -e 'BASE_URL=http://127.0.0.1:8080' '${folder}/a b.js'\`\n`,
    );
    assertEquals(await Deno.readTextFile(`${folder}/a b.js`), stdout);
    const input = await runCli(["export", "k6", "-"], { stdin: PLAN });
    assertEquals(input.stdout.replace("standard input", "plan.yaml"), stdout);
  });
});

Deno.test("an exported script refers to files by paths relative to its own folder", async () => {
  await inFolder(async (folder) => {
    const plan = `${folder}/with_data.yaml`;
    await Deno.writeTextFile(plan, DATA);
    await Deno.mkdir(`${folder}/data`);
    await Deno.mkdir(`${folder}/k6`);
    await Deno.writeTextFile(`${folder}/data/users.csv`, "id\n1\n");
    for (const [to, path] of [["s.js", "./data/users.csv"], ["k6/s.js", "../data/users.csv"]]) {
      assertEquals((await runCli(["export", "k6", plan, "-o", `${folder}/${to}`])).code, 0);
      assertStringIncludes(await Deno.readTextFile(`${folder}/${to}`), `open("${path}")`);
    }
    const same = await runCli(["export", "k6", plan, "-o", `${folder}/data/users.csv`]);
    assertEquals(same.code, 2);
    assertStringIncludes(same.stderr, "already uses the file");
  });
});

Deno.test("export lists what k6 does differently, and --strict exits with 3 if a difference needs action", async () => {
  const every = "testdata/plans/every_key.yaml";
  const { code, stdout, stderr } = await runCli(["export", "k6", every, "--strict"]);
  assertEquals(code, 3);
  assertStringIncludes(stderr, "warning[k6-omitted] ");
  assertStringIncludes(stdout, "\nexport const options = {\n");
  const lines = (await runCli(["export", "k6", every, "--warnings", "json"])).stderr.trim().split(
    "\n",
  );
  assertEquals(Object.keys(JSON.parse(lines[0])), ["level", "code", "subject", "message"]);
});

Deno.test("export --env applies an overlay", async () => {
  const plan =
    `${PLAN}env: {staging: {defaults: {http: {base_url: "https://staging.example/x/"}}}}`;
  const { stdout } = await runCli(["export", "k6", "-", "--env", "staging"], { stdin: plan });
  assertStringIncludes(stdout, '__ENV.BASE_URL || "https://staging.example/x";');
});

Deno.test("export rejects an invalid plan, a missing or unknown target, and any number of plans other than one", async () => {
  const fail = async (args: readonly string[], code: number, message: string) => {
    const result = await runCli(["export", ...args], { stdin: "scenarios: {}" });
    assertEquals([result.code, result.stdout], [code, ""]);
    assertStringIncludes(result.stderr, message);
  };
  await fail([], 2, "no target: expected k6, as in `rehearse export k6 plan.yaml`");
  await fail(
    ["k7", "plan.yaml"],
    2,
    'cannot export to k7: expected k6; did you mean "k6"?',
  );
  await fail(["k6"], 2, "expected one plan to export (- for standard input)");
  await fail(["k6", "a", "b"], 2, "but got 2");
  await fail(["k6", "-"], 1, "no-scenarios");
  await fail(["k6", "missing.yaml"], 1, "missing.yaml");
});

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  using temp = new TempFolder();
  const folder = temp.path;
  await Deno.writeTextFile(`${folder}/plan.yaml`, PLAN);
  await use(folder);
}
