import { assertEquals } from "@std/assert";
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
