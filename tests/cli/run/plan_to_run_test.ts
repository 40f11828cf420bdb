import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { runCli } from "../../support/cli.ts";
import { CliFolder } from "../../support/cli_folder.ts";

const PLAN = `scenarios:
  replayed:
    executor: constant-arrival-rate
    rate: 2
    duration: 1s
    pre_allocated_vus: 9
    max_vus: 18
    flow:
      - request: {url: /}
`;
Deno.test("run reports that --duration does not extend scenarios with a fixed number of iterations", async () => {
  using folder = new CliFolder();
  const path = join(folder.path, "plan.yaml");
  await Deno.writeTextFile(
    path,
    "scenarios:\n  recorded: {executor: per-vu-iterations, vus: 2, iterations: 3, " +
      "flow: [{request: {url: /}}]}\n",
  );
  const stderr = async (...options: string[]) =>
    (await runCli(["run", path, "--duration", "20s", ...options])).stderr;
  assertStringIncludes(
    await stderr(),
    "--duration only limits recorded, which ends after 6 iterations; to repeat its flow for 20s, " +
      "change its executor to `constant-vus`\n",
  );
  for (const options of [["--iterations", "9"], ["--once"]]) {
    assertEquals((await stderr(...options)).includes("only limits"), false);
  }
  await Deno.writeTextFile(path, PLAN);
  assertEquals((await stderr()).includes("only limits"), false);
});

Deno.test("run states the allowed range of a value that it rejects", async () => {
  const table: [string[], string][] = [
    [["--duration", "-5s"], "--duration cannot be -5s: expected a duration above 0, such as 30s"],
    [["--duration", "0"], "--duration cannot be 0: expected a duration above 0, such as 30s"],
    [["--vus", "-3"], "--vus cannot be -3: expected a whole number of at least 1"],
    [["--rate", "-.5"], "--rate cannot be -.5: expected a number above 0"],
    [["--rate", "1e999"], "--rate cannot be 1e999: expected a number above 0"],
    [["--rate", "1e12"], "1000000000000 exceeds the limit of 10000000"],
  ];
  for (const [options, message] of table) {
    const { code, stderr } = await runCli(["run", "http://127.0.0.1:1/", ...options]);
    assertEquals(code, 2);
    assertStringIncludes(stderr, message);
  }
});
