import { assertEquals, assertStringIncludes } from "@std/assert";
import { runCli } from "../../support/cli.ts";
import { TempFolder } from "../../support/temp_folder.ts";

const PLAN = `
scenarios:
  main:
    executor: constant-arrival-rate
    rate: 2
    duration: 60s
    pre_allocated_vus: 3
    flow: [{request: {url: "http://user:secret@a.example/a"}}]
`;

Deno.test("diff prints how the load and the plans differ", async () => {
  await inFolder(async (a, b) => {
    await Deno.writeTextFile(b, PLAN.replace("rate: 2", "rate: 4").replace("60s", "1m"));
    const { code, stdout } = await runCli(["diff", a, b]);
    assertEquals(
      stdout,
      "  requests  about 120, without redirects → about 240, without redirects\n" +
        "  peak      2/s requests → 4/s requests\n" +
        "~ scenarios.main.rate: 2 → 4\n1 difference\n",
    );
    assertEquals(code, 0);
    const strict = await runCli(["diff", a, b, "--strict", "--format", "json"]);
    assertEquals(strict.code, 3);
    assertEquals(JSON.parse(strict.stdout), { place: "scenarios.main.rate", before: 2, after: 4 });
  });
});

Deno.test("diff prints an exact number of requests if each iteration sends as many", async () => {
  const twice = '{repeat: {times: 2, steps: [{request: {url: "http://a.example/"}}]}}';
  const request = '{request: {url: "http://a.example/", follow_redirects: true}}';
  const table: [step: string, before: string, after: string][] = [
    [twice, "10", "16"],
    [request, "5, without redirects", "8, without redirects"],
    [
      `{random: {choices: [{weight: 1, steps: [${twice}]}, {weight: 1, steps: [${request}]}]}}`,
      "about 8, without redirects",
      "about 12, without redirects",
    ],
  ];
  await inFolder(async (a, b) => {
    for (const [step, before, after] of table) {
      const plan = `
defaults: {http: {follow_redirects: false}}
scenarios:
  s:
    executor: shared-iterations
    vus: 1
    iterations: 5
    flow: [${step}]
`;
      await Deno.writeTextFile(a, plan);
      await Deno.writeTextFile(b, plan.replace("iterations: 5", "iterations: 8"));
      const { stdout } = await runCli(["diff", a, b]);
      assertStringIncludes(stdout, `  requests  ${before} → ${after}\n`);
    }
  });
});

Deno.test("diff does not report a difference between two notations of the same plan", async () => {
  await inFolder(async (a, b) => {
    await Deno.writeTextFile(b, `# the same\n${PLAN.replace("60s", "1m")}`);
    const { code, stdout } = await runCli(["diff", a, b, "--strict"]);
    assertEquals([code, stdout], [0, "the plans have the same meaning\n"]);
  });
});

Deno.test("diff hides passwords in URLs", async () => {
  await inFolder(async (a, b) => {
    await Deno.writeTextFile(b, PLAN.replace("example/a", "example/b"));
    for (const format of ["text", "json"]) {
      const { stdout } = await runCli(["diff", a, b, "--format", format]);
      assertEquals([stdout.includes("secret"), stdout.includes("example/b")], [false, true]);
    }
  });
});

async function inFolder(use: (a: string, b: string) => Promise<void>): Promise<void> {
  using temp = new TempFolder();
  const folder = temp.path;
  await Deno.writeTextFile(`${folder}/a.yaml`, PLAN);
  await use(`${folder}/a.yaml`, `${folder}/b.yaml`);
}
