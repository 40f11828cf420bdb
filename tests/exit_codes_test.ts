import { assert, assertEquals } from "@std/assert";
import { EXIT } from "../src/cli/command/command.ts";
import { loadCommands } from "../src/cli/cli.ts";
import { startDemo } from "../src/demo/server.ts";
import { runCli, runUntilCtrlC } from "./support/cli.ts";
import { CliFolder } from "./support/cli_folder.ts";

const PAGE = Deno.readTextFileSync(new URL("../docs/exit-codes.md", import.meta.url));
const LOG = '203.0.113.5 - - [21/Nov/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 1\n';
const HAR = new URL("../src/demo/sample/session.har", import.meta.url).pathname;

/** A plan that sends one request to `target`, with `extra` lines at its end. */
const plan = (target: string, extra = "") => `
scenarios:
  main:
    executor: per-vu-iterations
    vus: 1
    iterations: 1
    flow: [{request: {url: "${target}"}}]
${extra}`;

/** A plan that sends nothing for an hour. */
const LONG = `
scenarios:
  main: {executor: constant-vus, vus: 1, duration: 1h, flow: [{think_time: 1h}]}
`;

/** Command lines and their exit codes. `$DIR` is a folder with the plans. */
const LINES: readonly [code: number, line: string][] = [
  [EXIT.OK, "--help"],
  [EXIT.OK, "validate $DIR/plan.yaml"],
  [EXIT.OK, "convert $DIR/access.log"],
  [EXIT.OK, "run $DIR/plan.yaml"],
  [EXIT.FAILED, "validate $DIR/access.log"],
  [EXIT.FAILED, "validate --strict $DIR/access.log"],
  [EXIT.FAILED, "convert $DIR/missing.log"],
  [EXIT.FAILED, "run $DIR/access.log"],
  [EXIT.FAILED, "run $DIR/dead.yaml"],
  [EXIT.FAILED, "run $DIR/absent.yaml --once"],
  [EXIT.FAILED, "run $DIR/relative.yaml"],
  [EXIT.FAILED, "merge $DIR/plan.yaml"],
  [EXIT.FAILED, "report $DIR/plan.yaml"],
  [EXIT.FAILED, "convert $DIR/access.log -o $DIR"],
  [EXIT.USAGE, ""],
  [EXIT.USAGE, "runn"],
  [EXIT.USAGE, "--verison"],
  [EXIT.USAGE, "convert"],
  [EXIT.USAGE, "convert $DIR/access.log --top none"],
  [EXIT.USAGE, "run"],
  [EXIT.USAGE, "run $DIR/plan.yaml --vus many"],
  [EXIT.USAGE, "run $DIR/plan.yaml --scenario other"],
  [EXIT.USAGE, "verify $DIR/plan.yaml"],
  [EXIT.USAGE, "report"],
  [EXIT.STRICT, "convert $DIR/access.log --strict"],
  [EXIT.STRICT, "validate $DIR/relative.yaml --strict"],
  [EXIT.STRICT, `convert ${HAR} --strict`],
  [EXIT.INCOMPLETE, "run $DIR/aborted.yaml --summary-export $DIR/aborted.json"],
  [EXIT.INCOMPLETE, "merge $DIR/aborted.json"],
  [EXIT.INCOMPLETE, "report $DIR/aborted.json -o $DIR/a.html --fail-on failed"],
  [EXIT.OK, "merge $DIR/aborted.json --allow incomplete"],
  [EXIT.OK, "run $DIR/aborted.yaml --allow incomplete"],
  [EXIT.THRESHOLDS, "run $DIR/slow.yaml"],
];

Deno.test("every command exits with the code that docs/exit-codes.md lists for its result", async () => {
  using folder = new CliFolder();
  const demo = startDemo({ catchAll: true });
  try {
    const files = {
      "access.log": LOG,
      "plan.yaml": plan(demo.origin),
      "dead.yaml": plan("http://127.0.0.1:9/"),
      "absent.yaml": plan(`${demo.origin}/flaky?percent=100`),
      "relative.yaml": plan("/a"),
      "slow.yaml": plan(demo.origin, 'thresholds: {http_req_duration: ["max<0"]}\n'),
      "long.yaml": LONG,
      "aborted.yaml": plan(demo.origin, 'thresholds: {http_reqs: ["count>0"]}\n').replace(
        "{request: {",
        "{request: {assert: [{type: status, equals: 1, on_failure: abort_scenario}], ",
      ),
    };
    for (const [name, text] of Object.entries(files)) folder.write(name, text);
    for (const [code, line] of LINES) {
      const args = line.split(" ").filter(Boolean).map((arg) => arg.replace("$DIR", folder.path));
      const { code: found, stderr } = await runCli(args);
      assertEquals(found, code, `${line}\n${stderr}`);
    }
    const { code } = await runUntilCtrlC(["run", `${folder.path}/long.yaml`, "--quiet"]);
    assertEquals(code, EXIT.INTERRUPTED);
  } finally {
    await demo.stop();
  }
});

Deno.test("docs/exit-codes.md lists exactly the exit codes that the commands use", async () => {
  const listed = [...PAGE.matchAll(/^\| (\d+) /gm)].map(([, code]) => Number(code));
  assertEquals(listed, Object.values(EXIT));
  for (const { name, about } of await loadCommands()) {
    const text = about.find((paragraph) => paragraph.startsWith("Exit codes: ")) ?? "";
    const codes = [...text.matchAll(/(?:^Exit codes: |; )(\d+) /g)].map(([, code]) => Number(code));
    assert(codes.every((code) => listed.includes(code)), `${name}: ${codes}`);
    assertEquals(codes, [...codes].sort((a, b) => a - b), name);
  }
});
