import {
  assert,
  assertEquals,
  assertMatch,
  assertNotMatch,
  assertStringIncludes,
} from "@std/assert";
import { join } from "@std/path";
import { parse } from "@std/yaml";
import { random } from "../../../src/base/random.ts";
import type { Plan } from "../../../src/plan/schema/plan.ts";
import { runCli } from "../../support/cli.ts";
import { runInVirtualTime } from "../../support/run_in_virtual_time.ts";
import { TempFolder } from "../../support/temp_folder.ts";

const SECONDS = 4;
const PER_SECOND = 100;
const PATHS = ["/", "/", "/", "/products", "/products", "/items/17", "/search?q=tea", "/about"];

/** Creates the text of a log with many random requests within a few seconds. */
function busyLog(): string {
  const draw = random(7);
  return Array.from({ length: SECONDS * PER_SECOND }, (_, i) => {
    const second = String(Math.floor(i / PER_SECOND)).padStart(2, "0");
    const path = PATHS[draw.int(0, PATHS.length - 1)];
    return `10.0.0.1 - - [21/Nov/2026:10:00:${second} +0000] "GET ${path} HTTP/1.1" 200 99\n`;
  }).join("");
}

interface Files {
  readonly log: string;
  readonly plan: string;
  readonly summary: string;
}

/**
 * Converts a log, changes the text of the plan with `change`, runs the plan in virtual time, and
 * calls `use` with the paths of the log, the plan and the summary.
 */
async function withRun(
  change: (plan: string) => string,
  use: (files: Files) => Promise<void>,
  ...options: string[]
) {
  using temp = new TempFolder();
  const folder = temp.path;
  const log = join(folder, "access.log");
  const plan = join(folder, "plan.yaml");
  const summary = join(folder, "summary.json");
  await Deno.writeTextFile(log, busyLog());
  await runCli(["convert", log, "-o", plan, "--base-url", "http://shop.test", ...options]);
  await Deno.writeTextFile(plan, change(await Deno.readTextFile(plan)));
  const ran = await runInVirtualTime(parse(await Deno.readTextFile(plan)) as Plan, {
    seed: 3,
    readFile: (path) => Deno.readFileSync(join(folder, path)),
  });
  await Deno.writeTextFile(summary, JSON.stringify(ran.summary));
  await use({ log, plan, summary });
}

Deno.test("verify --log reports that a run of a converted plan matches the log", () =>
  withRun(String, async ({ log, plan, summary }) => {
    const { code, stdout } = await runCli(["verify", plan, "--log", log, "--run", summary]);
    assertMatch(stdout, /^matches the log: the run had the log's mix and rate of requests\n/);
    assertStringIncludes(
      stdout,
      "100.00% of the log's requests went to endpoints of the plan (5 of 5)",
    );
    assertMatch(
      stdout,
      /\n {2}responses {2}0\.00% have a different status class \(log in parentheses\): 2xx 100\.00% \(100\.00%\)\n/,
    );
    assertEquals(code, 0, stdout);
  }));

Deno.test("verify --log counts requests that the plan omits as a difference", () =>
  withRun(
    String,
    async ({ log, plan, summary }) => {
      const { code, stdout } = await runCli(["verify", plan, "--log", log, "--run", summary]);
      assertMatch(
        stdout,
        /^differs from the log: the plan covers only \d\d\.\d\d% of the log's requests \(`convert --top`\); the mix/,
      );
      const [, missing] = /mix {8}([\d.]+)% of the requests/.exec(stdout)!;
      const [, covered] = /covered {4}([\d.]+)% of the log/.exec(stdout)!;
      assertEquals(Math.round(Number(missing) + Number(covered)), 100);
      assertMatch(stdout, /Share of the log {2}Share of the run {2}Difference/);
      assertEquals(code, 1);
    },
    "--top",
    "1",
  ));

Deno.test("verify --received compares bursts and queries with what the target wrote down", () =>
  withRun(String, async ({ log, plan, summary }) => {
    const verify = ["verify", plan, "--log", log, "--run", summary, "--received"];
    const same = await runCli([...verify, log]);
    assertEquals(same.code, 0, same.stderr);
    assertMatch(
      same.stdout,
      /bursts {5}variance .*: 0 \(0\) at 1 s, 0 \(0\) at 10 s, 0 \(0\) at 60 s;/,
    );
    assertMatch(same.stdout, /peaks {6}.*: 100 \(100\) at 1 s,/);
    assertMatch(same.stdout, /queries {4}0\.00% of the received .*chance: \d\.\d\d%\)/);
    assertMatch(same.stdout, /visits {5}not compared: all requests of a log have one client/);
    const lines = (await Deno.readTextFile(log)).trimEnd().split("\n");
    // All requests with another query, and none in the third second.
    const other = lines.filter((line) => !line.includes("10:00:02"))
      .map((line) => line.replace("/search?q=tea", "/search?q=cup"));
    await Deno.writeTextFile(`${log}.received`, `${other.join("\n")}\n`);
    const { stdout } = await runCli([...verify, `${log}.received`]);
    // Three windows of 100 requests and an empty one: variance 1,875, mean 75.
    assertMatch(stdout, /: 25 \(0\) at 1 s/);
    assertMatch(stdout, /queries {4}100\.00% of the received requests/);
  }));

Deno.test("verify --received compares visits by the field that --received-client names", () =>
  withRun(String, async ({ log, plan, summary }) => {
    const verify = ["verify", plan, "--log", log, "--run", summary, "--received"];
    const lines = (await Deno.readTextFile(log)).trimEnd().split("\n");
    // Visits of three requests in the log, and the same with a session cookie in the target's log.
    const visits = lines.map((line, i) => line.replace(/^\S+/, `10.0.0.${Math.floor(i / 3) % 99}`));
    await Deno.writeTextFile(log, `${visits.join("\n")}\n`);
    const written = (line: string) => line.replace(/^(\S+)(.*)$/, "127.0.0.1$2 sid=$1");
    const format =
      '$remote_addr - - [$time_local] "$request" $status $body_bytes_sent sid=$cookie_sid';
    const options = ["--received-format", format, "--received-client", "cookie_sid"];
    const wrong = await runCli([...verify, log, "--received-format", "combind"]);
    assertStringIncludes(wrong.stderr, "--received-format cannot be combind: expected one of");
    const shareOf = async (received: readonly string[]) => {
      await Deno.writeTextFile(`${log}.received`, `${received.join("\n")}\n`);
      const { stdout, stderr } = await runCli([...verify, `${log}.received`, ...options]);
      const [, share] = /visits {5}([\d.]+)% of the received requests with visits/.exec(stdout) ??
        [];
      assert(share !== undefined, stdout + stderr);
      return Number(share);
    };
    assertEquals(await shareOf(visits.map(written)), 0);
    assert(await shareOf(visits.filter((_, i) => i % 3 !== 1).map(written)) > 1);
  }));

Deno.test("verify --log expects the speed and the squeeze of a plan with recorded arrivals", () =>
  withRun(
    String,
    async ({ log, plan, summary }) => {
      const { code, stdout } = await runCli(["verify", plan, "--log", log, "--run", summary]);
      assertMatch(stdout, /^matches the log: /);
      assertStringIncludes(stdout, "100/s in the log, of which the plan sends 6 times");
      assertEquals(code, 0);
    },
    ...["--shape", "exact", "--speed", "3", "--squeeze", "2"],
  ));

Deno.test("verify --log does not merge a path of the plan with a path that has a parameter", () =>
  withRun(
    (plan) =>
      plan.replaceAll("/about", "/${vars.page}").replace(/\nvariables:/, "$&\n  page: about"),
    async ({ log, plan, summary }) => {
      const { code, stdout } = await runCli(["verify", plan, "--log", log, "--run", summary]);
      assertMatch(stdout, /^matches the log: /);
      assertEquals(code, 0, stdout);
    },
  ));

Deno.test("verify --log reads a log in the format that --log-format defines", () =>
  withRun(String, async ({ log, plan, summary }) => {
    const text = (await Deno.readTextFile(log)).replaceAll(" - - [", "|").replaceAll("] ", "|");
    await Deno.writeTextFile(log, text.replaceAll(" +0000", ""));
    const verify = ["verify", plan, "--log", log, "--run", summary];
    const format = ["--log-format", '%h|%{%d/%b/%Y:%H:%M:%S}t|"%r" %>s %b'];
    assertEquals((await runCli(verify)).code, 1);
    const { code, stdout, stderr } = await runCli([...verify, ...format]);
    assertMatch(stdout, /^matches the log: /);
    assertEquals(code, 0, stderr);
  }));

Deno.test("verify --log reports an endpoint whose weight in the plan was doubled", () =>
  withRun(
    (plan) =>
      plan.replace(/weight: (\d+)\n(\s+)name: GET \/products\n/, (_, weight, indent) =>
        `weight: ${2 * weight}\n${indent}name: GET /products\n`),
    async ({ log, plan, summary }) => {
      const { code, stdout } = await runCli(["verify", plan, "--log", log, "--run", summary]);
      assertMatch(
        stdout,
        /^differs from the log: the mix of endpoints differs, most of all for GET \/products \(/,
      );
      assertStringIncludes(stdout, "more than chance can explain for 400 requests");
      assertEquals(code, 1);
      const json = await runCli([
        ...["verify", plan, "--log", log, "--run", summary, "--format", "json"],
      ]);
      const { asTheLog, mix, rate } = JSON.parse(json.stdout);
      assertEquals([asTheLog, mix.beyondChance, rate.differs], [false, true, false]);
      assert(mix.share > 0.1);
    },
  ));

Deno.test("verify --log detects a run at half the rate of the log", () =>
  withRun(
    (plan) => plan.replace(/rate: 100/, "rate: 50"),
    async ({ log, plan, summary }) => {
      const { code, stdout } = await runCli(["verify", plan, "--log", log, "--run", summary]);
      assertMatch(stdout, /^differs from the log: the rate is 0\.\d+ times the log's\n/);
      assertEquals(code, 1);
    },
  ));

Deno.test("verify --log reports that a run without any response does not match the log", () =>
  withRun(String, async ({ log, plan, summary }) => {
    const ran = JSON.parse(await Deno.readTextFile(summary));
    for (const endpoint of ran.endpoints) endpoint.statuses = { 0: endpoint.count };
    await Deno.writeTextFile(summary, JSON.stringify(ran));
    const { code, stdout } = await runCli(["verify", plan, "--log", log, "--run", summary]);
    assertMatch(stdout, /^differs from the log: no request got a response\n/);
    assertEquals(code, 1);
  }));

Deno.test("verify --log refuses the summary of another plan", () =>
  withRun(String, async ({ log, plan, summary }) => {
    const other = `${plan}.other.yaml`;
    await Deno.writeTextFile(
      other,
      (await Deno.readTextFile(plan)).replaceAll("GET /products", "GET /wares"),
    );
    const { code, stdout, stderr } = await runCli([
      ...["verify", other, "--log", log, "--run", summary],
    ]);
    assertEquals([code, stdout], [1, ""]);
    assertStringIncludes(stderr, `${summary}: the run (of `);
    assertStringIncludes(
      stderr,
      ") contains the request GET /products, but this plan does not; verify the plan of this run, " +
        "with `--env` if the run used it, or run this plan with `--summary-export`",
    );
  }));

Deno.test("verify --log reports that the plan of the run was changed", () =>
  withRun(String, async ({ log, plan, summary }) => {
    const verify = ["verify", plan, "--log", log, "--run", summary];
    const changed = /\n {2}plan {7}the run's plan differs from this plan: /;
    assertNotMatch((await runCli(verify)).stdout, changed);
    const text = await Deno.readTextFile(plan);
    await Deno.writeTextFile(plan, text.replace(/rate: 100/, "rate: 50"));
    const { code, stdout } = await runCli(verify);
    assertMatch(stdout, changed);
    assertEquals(code, 0);
  }));

Deno.test("verify --log refuses a file that is not a log, and reports its kind", () =>
  withRun(String, async ({ log, plan, summary }) => {
    const profile = `${log}.profile.json`;
    const har = `${log}.har`;
    await runCli(["convert", log, "--profile", profile]);
    await Deno.writeTextFile(har, `{"log": {"version": "1.2", "entries": []}}`);
    const errors = [
      [
        profile,
        "this is a traffic profile, not an access log; give the logs from which it was created",
      ],
      [har, "this is a HAR recording, not an access log; use `--har` to verify a plan against it"],
      [plan, "this is a plan, not an access log; run it with "],
      [summary, "this is a summary of a run, not an access log; show it with "],
    ];
    for (const [file, error] of errors) {
      const { code, stdout, stderr } = await runCli([
        ...["verify", plan, "--log", file, "--run", summary],
      ]);
      assertEquals([code, stdout], [1, ""]);
      assertStringIncludes(stderr, error);
    }
  }));
