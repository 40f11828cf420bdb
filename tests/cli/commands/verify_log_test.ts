import {
  assert,
  assertEquals,
  assertMatch,
  assertNotMatch,
  assertStringIncludes,
} from "@std/assert";
import { parse } from "@std/yaml";
import { random } from "../../../src/base/random.ts";
import type { Plan } from "../../../src/plan/schema/plan.ts";
import { CliFolder } from "../../support/cli_folder.ts";
import { runInVirtualTime } from "../../support/run_in_virtual_time.ts";

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

/**
 * Returns a folder with a log, the plan converted from it, whose text `change` changes, and the
 * summary of a run of the plan in virtual time.
 */
async function runFolder(options = "", change: (plan: string) => string = String) {
  const folder = new CliFolder({ "access.log": busyLog() });
  const convert = `convert ./access.log -o ./plan.yaml --base-url http://shop.test${options}`;
  await folder.run(convert);
  folder.write("plan.yaml", change(folder.read("plan.yaml")));
  const { summary } = await runInVirtualTime(parse(folder.read("plan.yaml")) as Plan, {
    seed: 3,
    readFile: (path) => Deno.readFileSync(`${folder.path}/${path}`),
  });
  folder.write("summary.json", summary);
  return folder;
}

const VERIFY = "verify ./plan.yaml --log ./access.log --run ./summary.json";

/** Options of convert, changes to the plan, the exit code, and what verify prints. */
const RUNS: Record<
  string,
  [options: string, change: (plan: string) => string, exit: number, ...printed: RegExp[]]
> = {
  "that a run of a converted plan matches the log": [
    "",
    String,
    0,
    /^matches the log: the run had the log's mix and rate of requests\n/,
    /100\.00% of the log's requests went to endpoints of the plan \(5 of 5\)/,
    /\n {2}responses {2}0\.00% have a different status class \(log in parentheses\): 2xx 100\.00% \(100\.00%\)\n/,
  ],
  "the speed and the squeeze of a plan with recorded arrivals": [
    " --shape exact --speed 3 --squeeze 2",
    String,
    0,
    /^matches the log: /,
    /100\/s in the log, of which the plan sends 6 times/,
  ],
  "no difference between a path of the plan and the same path with a parameter": [
    "",
    (plan) =>
      plan.replaceAll("/about", "/${vars.page}").replace(/\nvariables:/, "$&\n  page: about"),
    0,
    /^matches the log: /,
  ],
  "a run at half the rate of the log": [
    "",
    (plan) => plan.replace(/rate: 100/, "rate: 50"),
    1,
    /^differs from the log: the rate is 0\.\d+ times the log's\n/,
  ],
};

for (const [name, [options, change, exit, ...printed]] of Object.entries(RUNS)) {
  Deno.test(`verify --log reports ${name}`, async () => {
    using folder = await runFolder(options, change);
    const { code, stdout } = await folder.run(VERIFY);
    for (const pattern of printed) assertMatch(stdout, pattern);
    assertEquals(code, exit, stdout);
  });
}

Deno.test("verify --log counts requests that the plan omits as a difference", async () => {
  using folder = await runFolder(" --top 1");
  const { code, stdout } = await folder.run(VERIFY);
  assertMatch(
    stdout,
    /^differs from the log: the plan covers only \d\d\.\d\d% of the log's requests \(`convert --top`\); the mix/,
  );
  const [, missing] = /mix {8}([\d.]+)% of the requests/.exec(stdout)!;
  const [, covered] = /covered {4}([\d.]+)% of the log/.exec(stdout)!;
  assertEquals(Math.round(Number(missing) + Number(covered)), 100);
  assertMatch(stdout, /Share of the log {2}Share of the run {2}Difference/);
  assertEquals(code, 1);
});

Deno.test("verify --received compares bursts and queries with what the target wrote down", async () => {
  using folder = await runFolder();
  const same = await folder.run(`${VERIFY} --received ./access.log`);
  assertEquals(same.code, 0, same.stderr);
  assertMatch(
    same.stdout,
    /bursts {5}variance .*: 0 \(0\) at 1 s, 0 \(0\) at 10 s, 0 \(0\) at 60 s;/,
  );
  assertMatch(same.stdout, /peaks {6}.*: 100 \(100\) at 1 s,/);
  assertMatch(same.stdout, /queries {4}0\.00% of the received .*chance: \d\.\d\d%\)/);
  assertMatch(same.stdout, /visits {5}not compared: all requests of a log have one client/);
  const lines = (folder.read("access.log")).trimEnd().split("\n");
  // All requests with another query, and none in the third second.
  const other = lines.filter((line) => !line.includes("10:00:02"))
    .map((line) => line.replace("/search?q=tea", "/search?q=cup"));
  folder.write("received", `${other.join("\n")}\n`);
  const { stdout } = await folder.run(`${VERIFY} --received ./received`);
  // Three windows of 100 requests and an empty one: variance 1,875, mean 75.
  assertMatch(stdout, /: 25 \(0\) at 1 s/);
  assertMatch(stdout, /queries {4}100\.00% of the received requests/);
});

Deno.test("verify --received compares visits by the field that --received-client names", async () => {
  using folder = await runFolder();
  const lines = (folder.read("access.log")).trimEnd().split("\n");
  // Visits of three requests in the log, and the same with a session cookie in the target's log.
  const visits = lines.map((line, i) => line.replace(/^\S+/, `10.0.0.${Math.floor(i / 3) % 99}`));
  folder.write("access.log", `${visits.join("\n")}\n`);
  const written = (line: string) => line.replace(/^(\S+)(.*)$/, "127.0.0.1$2 sid=$1");
  const format =
    '$remote_addr - - [$time_local] "$request" $status $body_bytes_sent sid=$cookie_sid';
  const options = ["--received-format", format, "--received-client", "cookie_sid"];
  const wrong = await folder.run(`${VERIFY} --received ./access.log --received-format combind`);
  assertStringIncludes(wrong.stderr, "--received-format cannot be combind: expected one of");
  const shareOf = async (received: readonly string[]) => {
    folder.write("received", `${received.join("\n")}\n`);
    const { stdout, stderr } = await folder.run(`${VERIFY} --received ./received`, options);
    const [, share] = /visits {5}([\d.]+)% of the received requests with visits/.exec(stdout) ??
      [];
    assert(share !== undefined, stdout + stderr);
    return Number(share);
  };
  assertEquals(await shareOf(visits.map(written)), 0);
  assert(await shareOf(visits.filter((_, i) => i % 3 !== 1).map(written)) > 1);
});

Deno.test("verify --log reads a log in the format that --log-format defines", async () => {
  using folder = await runFolder();
  const text = (folder.read("access.log")).replaceAll(" - - [", "|").replaceAll("] ", "|");
  folder.write("access.log", text.replaceAll(" +0000", ""));
  const format = ["--log-format", '%h|%{%d/%b/%Y:%H:%M:%S}t|"%r" %>s %b'];
  assertEquals((await folder.run(VERIFY)).code, 1);
  const { code, stdout, stderr } = await folder.run(VERIFY, format);
  assertMatch(stdout, /^matches the log: /);
  assertEquals(code, 0, stderr);
});

Deno.test("verify --log reports an endpoint whose weight in the plan was doubled", async () => {
  using folder = await runFolder(
    "",
    (plan) =>
      plan.replace(
        /weight: (\d+)\n(\s+)name: GET \/products\n/,
        (_, weight, indent) => `weight: ${2 * weight}\n${indent}name: GET /products\n`,
      ),
  );
  const { code, stdout } = await folder.run(VERIFY);
  assertMatch(
    stdout,
    /^differs from the log: the mix of endpoints differs, most of all for GET \/products \(/,
  );
  assertStringIncludes(stdout, "more than chance can explain for 400 requests");
  assertEquals(code, 1);
  const json = await folder.run(`${VERIFY} --format json`);
  const { asTheLog, mix, rate } = JSON.parse(json.stdout);
  assertEquals([asTheLog, mix.beyondChance, rate.differs], [false, true, false]);
  assert(mix.share > 0.1);
});

Deno.test("verify --log reports that a run without any response does not match the log", async () => {
  using folder = await runFolder();
  const ran = folder.readJson("summary.json");
  for (const endpoint of ran.endpoints) endpoint.statuses = { 0: endpoint.count };
  folder.write("summary.json", ran);
  const { code, stdout } = await folder.run(VERIFY);
  assertMatch(stdout, /^differs from the log: no request got a response\n/);
  assertEquals(code, 1);
});

Deno.test("verify --log refuses the summary of another plan", async () => {
  using folder = await runFolder();
  folder.write("plan.yaml", folder.read("plan.yaml").replaceAll("GET /products", "GET /wares"));
  const { code, stdout, stderr } = await folder.run(VERIFY);
  assertEquals([code, stdout], [1, ""]);
  assertStringIncludes(stderr, "./summary.json: the run (of ");
  assertStringIncludes(
    stderr,
    ") contains the request GET /products, but this plan does not; verify the plan of this run, " +
      "with `--env` if the run used it, or run this plan with `--summary-export`",
  );
});

Deno.test("verify --log reports that the plan of the run was changed", async () => {
  using folder = await runFolder();
  const changed = /\n {2}plan {7}the run's plan differs from this plan: /;
  assertNotMatch((await folder.run(VERIFY)).stdout, changed);
  const text = folder.read("plan.yaml");
  folder.write("plan.yaml", text.replace(/rate: 100/, "rate: 50"));
  const { code, stdout } = await folder.run(VERIFY);
  assertMatch(stdout, changed);
  assertEquals(code, 0);
});

Deno.test("verify --log refuses a file that is not a log, and reports its kind", async () => {
  using folder = await runFolder();
  folder.write("a.har", `{"log": {"version": "1.2", "entries": []}}`);
  await folder.run("convert ./access.log --profile ./profile.json");
  for (
    const [file, error] of [
      ["profile.json", "a traffic profile, not an access log; create a plan from it with "],
      ["a.har", "a HAR recording, not an access log; create a plan from it with "],
      ["plan.yaml", "a plan, not an access log; run it with "],
      ["summary.json", "a summary of a run, not an access log; show it with "],
    ]
  ) {
    const verify = `verify ./plan.yaml --log ./${file} --run ./summary.json`;
    const { code, stdout, stderr } = await folder.run(verify);
    assertEquals([code, stdout], [1, ""]);
    assertStringIncludes(stderr, `this is ${error}`);
  }
});
