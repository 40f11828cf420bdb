import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { cli } from "../../../src/cli/cli.ts";
import { startDemo } from "../../../src/demo/server.ts";
import { CliFolder } from "../../support/cli_folder.ts";
import { parsedPlan } from "../../support/parsed_plan.ts";

/** Returns a folder with the sample log and the sample recording. */
async function sampleFolder(): Promise<CliFolder> {
  const folder = new CliFolder();
  await folder.run("demo --sample ./");
  return folder;
}

/**
 * Runs init on a terminal, and enters a value for each question, until the end of the values
 * cancels. A `./` at the start of a value means the folder.
 */
async function enter(
  folder: CliFolder,
  options: string,
  entered: readonly string[],
  output = "/plan.yaml",
) {
  let [asked, messages] = [0, ""];
  const code = await cli([...options.split(" "), "-o", folder.path + output], {
    stdin: () => new ReadableStream(),
    stdout: { write() {}, columns: () => undefined },
    stderr: { write: (text) => void (messages += text), columns: () => undefined },
    window: { size: () => ({ columns: 80, rows: 24 }), onResize: () => () => {} },
    interrupts: () => () => {},
    now: () => Date.UTC(2030, 0, 1),
    ask: () => entered[asked++]?.replace(/^\.(?=\/)/, folder.path) ?? null,
  });
  return { code, asked, messages };
}

const planOf = (folder: CliFolder, name = "plan.yaml") => parsedPlan(folder.read(name));

Deno.test("demo --sample writes a log and a recording, and the plans that init creates from them pass on the demo shop", async () => {
  const demo = startDemo();
  using folder = new CliFolder();
  const { code, stdout, stderr } = await folder.run("demo --sample ./new");
  assertEquals(code, 0, stderr);
  assertStringIncludes(stdout, "requests in ten minutes)");
  for (const [name, plan] of [["access.log", "log.yaml"], ["session.har", "session.yaml"]]) {
    const options = `--base-url ${demo.origin} --duration 500ms -o ./${plan}`;
    const init = await folder.run(`init ./new/${name} ${options}`);
    assertEquals(init.code, 0, init.stderr);
    // A busy machine responds slowly.
    folder.write(plan, folder.read(plan).replace("p(95)<1s", "p(95)<10s"));
    // The recorded pauses would only slow down this test.
    const pauses = / *- think_time:\n +type: constant\n +duration: .*\n/g;
    folder.write(plan, folder.read(plan).replace(pauses, ""));
    const run = await folder.run(`run ./${plan} --quiet`);
    assertEquals(run.code, 0, run.stdout);
  }
  assert(demo.stats().served.every(({ status }) => status < 400));
  await demo.stop();
});

Deno.test("demo --sample needs a new folder, and never replaces a file", async () => {
  using folder = new CliFolder({ "plan.yaml": "" });
  const file = await folder.run("demo --sample ./plan.yaml");
  assertEquals(file.code, 1);
  assertStringIncludes(file.stderr, "plan.yaml: it is a file; choose a folder");
  await folder.run("demo --sample ./a");
  const again = await folder.run("demo --sample ./a");
  assertEquals(again.code, 1);
  assertStringIncludes(again.stderr, "access.log: the file exists; choose another folder");
});

Deno.test("init asks three questions on a terminal, and writes the entered values to the plan", async () => {
  using folder = await sampleFolder();
  const { code, asked } = await enter(folder, "init", [
    ...["./session.har", "https://staging.example", "90s"],
  ]);
  assertEquals([code, asked], [0, 3]);
  const { defaults, thresholds, scenarios } = planOf(folder);
  assertEquals(defaults?.http?.base_url, "https://staging.example");
  assertEquals(thresholds, {
    http_req_duration: ["p(95)<1s"],
    http_req_failed: ["rate<0.01"],
  });
  const [{ executor, ...load }] = Object.values(scenarios);
  assertEquals([executor, "duration" in load && load.duration], ["constant-vus", "90s"]);
});

Deno.test("init writes the recorded pauses of a session to the plan, and prints the load", async () => {
  using folder = await sampleFolder();
  const { code, stderr } = await folder.run("init ./session.har -o ./plan.yaml --force");
  assertEquals(code, 0, stderr);
  assertMatch(stderr, /plan\.yaml\nLoad: 1 scenario, at most 1 VU, 1m\n/);
  assertMatch(folder.read("plan.yaml"), /think_time/);
});

for (const gap of [0, 5]) {
  Deno.test(`init limits the rate of a session that was recorded with pauses of ${gap} ms`, async () => {
    using folder = await sampleFolder();
    const har = folder.readJson("session.har");
    for (const [i, entry] of har.log.entries.entries()) {
      entry.startedDateTime = new Date(Date.UTC(2026, 10, 1) + i * gap).toISOString();
      entry.time = 0;
    }
    folder.write("quick.har", har);
    await folder.run("init ./quick.har -o ./plan.yaml");
    const [{ pacing }] = Object.values(planOf(folder).scenarios);
    assertEquals(pacing, { iterations_per_second: 1 });
  });
}

Deno.test("init asks again after an invalid value, and keeps the earlier values", async () => {
  using folder = await sampleFolder();
  const entered = [
    ...["./none.log", "", "./session.har", "localhost", "https://staging.example"],
    ...["soon", "90s"],
  ];
  const { code, asked, messages } = await enter(folder, "init", entered);
  assertEquals([code, asked], [0, entered.length]);
  for (const part of ["no such file", "localhost: expected a URL", "be soon"]) {
    assertStringIncludes(messages, part);
  }
  assertEquals(planOf(folder).defaults?.http?.base_url, "https://staging.example");
});

Deno.test("init asks again if the entered file is not a recording, or is the plan's own file", async () => {
  using folder = await sampleFolder();
  folder.write("empty.log", "");
  const binary = Uint8Array.from({ length: 500 }, (_, i) => i * 7);
  Deno.writeFileSync(`${folder.path}/binary.log`, binary);
  folder.write("page.har", "<!doctype html><p>Sign in");
  folder.write("plan.log", "scenarios:\n  a: {executor: constant-vus}\n");
  folder.write("plan.yaml", "");
  const bad = ["empty.log", "binary.log", "page.har", "plan.log", "plan.yaml"];
  const entered = [...bad, "access.log"].map((name) => `./${name}`);
  const { code, asked, messages } = await enter(folder, "init --force", entered);
  assertEquals([code, asked], [130, bad.length + 2]);
  for (
    const part of ["input is empty", "neither a HAR", "an HTML page", "a plan,", "already uses"]
  ) assertStringIncludes(messages, part);
});

Deno.test("init converts a recording whose file name suggests a different type", async () => {
  using folder = await sampleFolder();
  for (const [name, other] of [["access.log", "access.har"], ["session.har", "session.log"]]) {
    Deno.renameSync(`${folder.path}/${name}`, `${folder.path}/${other}`);
    const { code, stderr } = await folder.run(`init ./${other} -o ./${other}.yaml`);
    assertEquals(code, 0, stderr);
    assert(Object.keys(planOf(folder, `${other}.yaml`).scenarios).length > 0);
  }
});

Deno.test("if init cannot write the plan, it reports an error before it asks any questions", async () => {
  using folder = new CliFolder();
  for (const [options, output] of [["init", "/none/plan.yaml"], ["init --force", ""]]) {
    const { code, asked } = await enter(folder, options, [], output);
    assertEquals([code, asked], [1, 0]);
  }
});

Deno.test("init writes nothing if any question is cancelled", async () => {
  using folder = await sampleFolder();
  const entered = ["./session.har", "https://staging.example", "90s"];
  for (const [cancelled] of entered.entries()) {
    const { code, asked, messages } = await enter(folder, "init", entered.slice(0, cancelled));
    assertEquals([code, asked], [130, cancelled + 1]);
    assertEquals(messages, "Canceled: nothing was written\n");
    assertEquals(folder.names(), ["access.log", "session.har"]);
  }
});

Deno.test("without a terminal, init requires a recording and does not replace a plan", async () => {
  using folder = await sampleFolder();
  folder.write("plan.yaml", "mine");
  for (
    const [line, message] of [
      ["init -o ./b.yaml", "init needs an access log or a HAR file"],
      ["init ./access.log -o ./plan.yaml", "exists: choose another file"],
      ["init ./access.log -o ./b.yaml --duration 0s", "--duration cannot be 0s"],
      ["init ./access.log -o ./b.yaml --base-url x", "--base-url cannot be x"],
    ]
  ) {
    const { code, stderr } = await folder.run(line);
    assertEquals(code, 2);
    assertStringIncludes(stderr, message);
  }
  assertEquals(folder.read("plan.yaml"), "mine");
});
