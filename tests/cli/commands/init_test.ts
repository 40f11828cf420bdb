import { assert, assertEquals, assertMatch, assertStringIncludes, fail } from "@std/assert";
import { cli } from "../../../src/cli/cli.ts";
import type { Io } from "../../../src/cli/system/io.ts";
import { startDemo } from "../../../src/demo/server.ts";
import { runCli } from "../../support/cli.ts";
import { parsedPlan } from "../../support/parsed_plan.ts";
import { TempFolder } from "../../support/temp_folder.ts";

Deno.test("demo --sample writes a log and a recording, and the plans that init creates from them pass on the demo shop", async () => {
  const demo = startDemo();
  await inFolder(async (folder) => {
    const { code, stdout, stderr } = await runCli(["demo", "--sample", `${folder}/new`]);
    assertEquals(code, 0, stderr);
    assertStringIncludes(stdout, "requests in ten minutes)");
    for (const [name, plan] of [["access.log", "log.yaml"], ["session.har", "session.yaml"]]) {
      const init = await runCli([
        ...["init", `${folder}/new/${name}`, "--base-url", demo.origin, "--duration", "500ms"],
        ...["-o", `${folder}/${plan}`, "--pass", "p95<10s, failed<1%"],
      ]);
      assertEquals(init.code, 0, init.stderr);
      const text = await Deno.readTextFile(`${folder}/${plan}`);
      // The recorded pauses would only slow down this test.
      const withoutPauses = text.replace(
        / *- think_time:\n +type: constant\n +duration: .*\n/g,
        "",
      );
      await Deno.writeTextFile(`${folder}/${plan}`, withoutPauses);
      const run = await runCli(["run", `${folder}/${plan}`, "--quiet"]);
      assertEquals(run.code, 0, run.stdout);
    }
    assert(demo.stats().served.every(({ status }) => status < 400));
  });
  await demo.stop();
});

Deno.test("demo --sample reports an error if a file is given instead of a folder", async () => {
  await inFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/plan.yaml`, "");
    const { code, stderr } = await runCli(["demo", "--sample", `${folder}/plan.yaml`]);
    assertEquals(code, 1);
    assertStringIncludes(stderr, "plan.yaml: it is a file; choose a folder");
  });
});

Deno.test("demo --sample never replaces a file", async () => {
  await inFolder(async (folder) => {
    await runCli(["demo", "--sample", `${folder}/a`]);
    const { code, stderr } = await runCli(["demo", "--sample", `${folder}/a`]);
    assertEquals(code, 1);
    assertStringIncludes(stderr, "access.log: the file exists; choose another folder");
  });
});

Deno.test("init asks four questions on a terminal, and writes the entered values to the plan", async () => {
  await inFolder(async (folder) => {
    await runCli(["demo", "--sample", folder]);
    const entered = [
      `${folder}/session.har`,
      "https://staging.example",
      "90s",
      "avg<1s, p(99)<2s, errors<0.5%",
    ];
    const asked: string[] = [];
    const code = await cli(["init", "-o", `${folder}/plan.yaml`], {
      ...quietIo,
      ask(question) {
        asked.push(question);
        return entered[asked.length - 1];
      },
    });
    assertEquals([code, asked.length], [0, 4]);
    const plan = parsedPlan(await Deno.readTextFile(`${folder}/plan.yaml`));
    assertEquals(plan.defaults?.http?.base_url, "https://staging.example");
    assertEquals(plan.thresholds, {
      http_req_duration: ["avg<1s", "p(99)<2s"],
      http_req_failed: ["rate<0.005"],
    });
    const [{ executor, ...load }] = Object.values(plan.scenarios);
    assertEquals([executor, "duration" in load && load.duration], ["constant-vus", "90s"]);
  });
});

Deno.test("init --faithful replays the busiest part of a log, from files next to the plan", async () => {
  await inFolder(async (folder) => {
    await runCli(["demo", "--sample", folder]);
    const path = `${folder}/plan.yaml`;
    const init = ["init", `${folder}/access.log`, "-o", path, "--faithful", "--duration", "30s"];
    const { code, stderr } = await runCli(init);
    assertEquals(code, 0, stderr);
    const plan = parsedPlan(await Deno.readTextFile(path));
    const [scenario] = Object.values(plan.scenarios);
    assertEquals(scenario.executor, "recorded-arrivals");
    assertEquals(plan.thresholds?.http_req_failed, ["rate<0.01"]);
    for (const file of [`${path}.visits`, `${path}.arrivals`]) await Deno.stat(file);
    assertEquals((await runCli(["validate", path])).code, 0);
  });
});

Deno.test("init writes the recorded pauses of a session to the plan, and prints the load", async () => {
  await inFolder(async (folder) => {
    await runCli(["demo", "--sample", folder]);
    const init = ["init", `${folder}/session.har`, "-o", `${folder}/plan.yaml`, "--force"];
    const { code, stderr } = await runCli(init);
    assertEquals(code, 0, stderr);
    assertMatch(stderr, /plan\.yaml\nLoad: 1 scenario, at most 1 VU, 1m\n/);
    const plan = parsedPlan(await Deno.readTextFile(`${folder}/plan.yaml`));
    assertEquals(Object.values(plan.scenarios)[0].pacing, undefined);
    assertMatch(await Deno.readTextFile(`${folder}/plan.yaml`), /think_time/);
  });
});

Deno.test("init limits the rate of a session that was recorded with short pauses or none", async () => {
  for (const gap of [0, 5]) {
    await inFolder(async (folder) => {
      await runCli(["demo", "--sample", folder]);
      const har = JSON.parse(await Deno.readTextFile(`${folder}/session.har`));
      const start = Date.UTC(2026, 10, 1);
      for (const [i, entry] of har.log.entries.entries()) {
        entry.startedDateTime = new Date(start + i * gap).toISOString();
        entry.time = 0;
      }
      await Deno.writeTextFile(`${folder}/quick.har`, JSON.stringify(har));
      await runCli(["init", `${folder}/quick.har`, "-o", `${folder}/plan.yaml`]);
      const plan = parsedPlan(await Deno.readTextFile(`${folder}/plan.yaml`));
      assertEquals(Object.values(plan.scenarios)[0].pacing, { iterations_per_second: 1 });
    });
  }
});

Deno.test("init asks again after an invalid value, and keeps the earlier values", async () => {
  await inFolder(async (folder) => {
    await runCli(["demo", "--sample", folder]);
    const entered = [
      ...[
        `${folder}/none.log`,
        "",
        `${folder}/session.har`,
        "localhost",
        "https://staging.example",
      ],
      ...["soon", "90s", "fast", "avg<1s"],
    ];
    let asked = 0;
    let messages = "";
    const code = await cli(["init", "-o", `${folder}/plan.yaml`], {
      ...quietIo,
      stderr: { write: (text) => void (messages += text), columns: () => undefined },
      ask: () => entered[asked++] ?? null,
    });
    assertEquals([code, asked], [0, entered.length]);
    for (const part of ["no such file", "localhost: expected a URL", "be soon", "be fast"]) {
      assertStringIncludes(messages, part);
    }
    const plan = parsedPlan(await Deno.readTextFile(`${folder}/plan.yaml`));
    assertEquals(plan.defaults?.http?.base_url, "https://staging.example");
  });
});

Deno.test("init asks again if the entered file is not a recording, or is the plan's own file", async () => {
  await inFolder(async (folder) => {
    await runCli(["demo", "--sample", folder]);
    Deno.writeTextFileSync(`${folder}/empty.log`, "");
    Deno.writeFileSync(`${folder}/binary.log`, Uint8Array.from({ length: 500 }, (_, i) => i * 7));
    Deno.writeTextFileSync(`${folder}/page.har`, "<!doctype html><p>Sign in");
    Deno.writeTextFileSync(`${folder}/plan.log`, "scenarios:\n  a: {executor: constant-vus}\n");
    const plan = `${folder}/plan.yaml`;
    Deno.writeTextFileSync(plan, "");
    const bad = ["empty.log", "binary.log", "page.har", "plan.log", "plan.yaml"];
    const entered = [...bad, "access.log"].map((name) => `${folder}/${name}`);
    let messages = "";
    let asked = 0;
    const code = await cli(["init", "--force", "-o", plan], {
      ...quietIo,
      stderr: { write: (text) => void (messages += text), columns: () => undefined },
      ask: () => entered[asked++] ?? null,
    });
    assertEquals([code, asked], [130, bad.length + 2]);
    for (
      const part of ["input is empty", "neither a HAR", "an HTML page", "a plan,", "already uses"]
    ) assertStringIncludes(messages, part);
  });
});

Deno.test("init converts a recording whose file name suggests a different type", async () => {
  await inFolder(async (folder) => {
    await runCli(["demo", "--sample", folder]);
    for (const [name, other] of [["access.log", "access.har"], ["session.har", "session.log"]]) {
      Deno.renameSync(`${folder}/${name}`, `${folder}/${other}`);
      const plan = `${folder}/${other}.yaml`;
      const { code, stderr } = await runCli(["init", `${folder}/${other}`, "-o", plan]);
      assertEquals(code, 0, stderr);
      const { scenarios } = parsedPlan(Deno.readTextFileSync(plan));
      assert(Object.keys(scenarios).length > 0);
    }
  });
});

Deno.test("if init cannot write the plan, it reports an error before it asks any questions", async () => {
  await inFolder(async (folder) => {
    const io = { ...quietIo, ask: () => fail("init asked a question") };
    assertEquals(await cli(["init", "-o", `${folder}/none/plan.yaml`], io), 1);
    assertEquals(await cli(["init", "--force", "-o", folder], io), 1);
  });
});

Deno.test("init rejects a limit of 100% or more for failed requests", async () => {
  await inFolder(async (folder) => {
    await runCli(["demo", "--sample", folder]);
    const init = (pass: string) =>
      runCli([
        ...["init", `${folder}/access.log`, "--pass", pass, "--force"],
        ...["-o", `${folder}/plan.yaml`],
      ]);
    for (const pass of ["failed<200%", "failed<100%", "failed<5", "failed<1", "errors<=1"]) {
      const { code, stderr } = await init(pass);
      assertEquals(code, 2, pass);
      assertStringIncludes(
        stderr,
        `--pass cannot be ${pass}: expected response times and shares of failed requests below 100%`,
      );
    }
    for (const pass of ["failed<=99.9%", "failed<0.5"]) {
      assertEquals((await init(pass)).code, 0, pass);
    }
  });
});

Deno.test("init writes nothing if any question is cancelled", async () => {
  await inFolder(async (folder) => {
    await runCli(["demo", "--sample", folder]);
    const entered = [`${folder}/session.har`, "https://staging.example", "90s", "avg<1s"];
    for (const [cancelled] of entered.entries()) {
      let asked = 0;
      let messages = "";
      const code = await cli(["init", "-o", `${folder}/plan.yaml`], {
        ...quietIo,
        stderr: { write: (text) => void (messages += text), columns: () => undefined },
        ask: () => asked++ === cancelled ? null : entered[asked - 1],
      });
      assertEquals([code, asked], [130, cancelled + 1]);
      assertEquals(messages, "Canceled: nothing was written\n");
      const names = Array.from(Deno.readDirSync(folder), ({ name }) => name).sort();
      assertEquals(names, ["access.log", "session.har"]);
    }
  });
});

Deno.test("without a terminal, init requires a recording and does not replace a plan", async () => {
  await inFolder(async (folder) => {
    const none = await runCli(["init", "-o", `${folder}/plan.yaml`]);
    assertEquals(none.code, 2);
    assertStringIncludes(none.stderr, "init needs an access log or a HAR file");
    await Deno.writeTextFile(`${folder}/plan.yaml`, "mine");
    const log = `${folder}/access.log`;
    await runCli(["demo", "--sample", folder]);
    const { code, stderr } = await runCli(["init", log, "-o", `${folder}/plan.yaml`]);
    assertEquals(code, 2);
    assertStringIncludes(stderr, "exists: choose another file");
    assertEquals(await Deno.readTextFile(`${folder}/plan.yaml`), "mine");
    for (const [option, value] of [["pass", "soon"], ["duration", "0s"], ["base-url", "x"]]) {
      const bad = await runCli(["init", log, "-o", `${folder}/b.yaml`, `--${option}`, value]);
      assertEquals(bad.code, 2);
      assertStringIncludes(bad.stderr, `--${option} cannot be ${value}`);
    }
  });
});

const quietIo: Io = {
  stdin: () => new ReadableStream(),
  stdout: { write() {}, columns: () => undefined },
  stderr: { write() {}, columns: () => undefined },
  window: { size: () => ({ columns: 80, rows: 24 }), onResize: () => () => {} },
  interrupts: () => () => {},
  now: () => Date.UTC(2030, 0, 1),
};

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  using temp = new TempFolder();
  await use(temp.path);
}
