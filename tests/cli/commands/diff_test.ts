import { assertEquals, assertStringIncludes } from "@std/assert";
import { CliFolder } from "../../support/cli_folder.ts";

const PLAN = `
scenarios:
  main:
    executor: constant-arrival-rate
    rate: 2
    duration: 60s
    pre_allocated_vus: 3
    flow: [{request: {url: "http://user:secret@a.example/a"}}]
`;

/** Runs diff on two plans. */
async function diff(a: string, b: string, options = "") {
  using folder = new CliFolder({ "a.yaml": a, "b.yaml": b });
  return await folder.run(`diff ./a.yaml ./b.yaml${options}`);
}

Deno.test("diff prints how the load and the plans differ", async () => {
  const other = PLAN.replace("rate: 2", "rate: 4").replace("60s", "1m");
  const { code, stdout } = await diff(PLAN, other);
  assertEquals(
    stdout,
    "  requests  about 120, without redirects → about 240, without redirects\n" +
      "  peak      2/s requests → 4/s requests\n" +
      "~ scenarios.main.rate: 2 → 4\n1 difference\n",
  );
  assertEquals(code, 0);
  const strict = await diff(PLAN, other, " --strict --format json");
  assertEquals(strict.code, 3);
  assertEquals(JSON.parse(strict.stdout), { place: "scenarios.main.rate", before: 2, after: 4 });
});

const TWICE = '{repeat: {times: 2, steps: [{request: {url: "http://a.example/"}}]}}';
const ONCE = '{request: {url: "http://a.example/", follow_redirects: true}}';

for (
  const [step, before, after] of [
    [TWICE, "10", "16"],
    [ONCE, "5, without redirects", "8, without redirects"],
    [
      `{random: {choices: [{weight: 1, steps: [${TWICE}]}, {weight: 1, steps: [${ONCE}]}]}}`,
      "about 8, without redirects",
      "about 12, without redirects",
    ],
  ]
) {
  Deno.test(`diff prints an exact number of requests only if each iteration sends as many: ${before}`, async () => {
    const plan = `
defaults: {http: {follow_redirects: false}}
scenarios:
  s:
    executor: shared-iterations
    vus: 1
    iterations: 5
    flow: [${step}]
`;
    const { stdout } = await diff(plan, plan.replace("iterations: 5", "iterations: 8"));
    assertStringIncludes(stdout, `  requests  ${before} → ${after}\n`);
  });
}

Deno.test("diff does not report a difference between two notations of the same plan", async () => {
  const { code, stdout } = await diff(
    PLAN,
    `# the same\n${PLAN.replace("60s", "1m")}`,
    " --strict",
  );
  assertEquals([code, stdout], [0, "the plans have the same meaning\n"]);
});

Deno.test("diff hides passwords in URLs", async () => {
  for (const format of ["text", "json"]) {
    const other = PLAN.replace("example/a", "example/b");
    const { stdout } = await diff(PLAN, other, ` --format ${format}`);
    assertEquals([stdout.includes("secret"), stdout.includes("example/b")], [false, true]);
  }
});
