import {
  assert,
  assertEquals,
  assertMatch,
  assertNotEquals,
  assertStringIncludes,
} from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { startDemo } from "../../../src/demo/server.ts";
import { PrometheusScrape } from "../../../src/engine/outputs/prometheus.ts";
import type { CounterStats } from "../../../src/engine/summary/flow_stats.ts";
import type { Summary } from "../../../src/engine/summary/summary.ts";
import { bannerLines } from "../../../src/report/html/print_html.ts";
import { runBanner } from "../../../src/report/html/run_head.ts";
import { runCli, type World } from "../../support/cli.ts";
import { CliFolder } from "../../support/cli_folder.ts";
import { http2Server } from "../../support/http2_server.ts";
import { TempFolder } from "../../support/temp_folder.ts";
import { pem } from "../../support/test_certificates.ts";

const plan = (outputs: string, rest = "") => `
name: outputs
outputs: ${outputs}
scenarios:
  main:
    executor: per-vu-iterations
    vus: 4
    iterations: 5
    flow:
      - request: {url: /api/products, checks: [{type: status, equals: 200}]}
${rest}`;

/** Runs a plan with outputs against the demo shop, in a new folder. */
async function runWith(outputs: string, options = "", world: World = {}) {
  const folder = new CliFolder({ "plan.yaml": plan(outputs) });
  const server = startDemo();
  const line = `run ./plan.yaml --base-url ${server.origin}${options}`;
  const outcome = await folder.run(line, [], world).finally(server.stop);
  return { ...outcome, folder, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

/** Starts a server that responds with `response` and calls `take` for each request. */
function receiver(take: (request: Request) => unknown, response?: unknown) {
  return Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => {
      await take(request);
      if (response === undefined) return new Response(null, { status: 204 });
      return Response.json(response);
    },
  );
}

Deno.test("json and csv outputs contain all samples of all threads", async () => {
  const outputs = "[{type: json, path: s.jsonl}, {type: csv, path: s.csv}]";
  using run = await runWith(outputs, " --workers 2");
  assertEquals(run.code, 0, run.stderr);
  const types = run.folder.read("s.jsonl").trimEnd().split("\n")
    .map((line) => JSON.parse(line).type);
  const counts = Map.groupBy(types, (type) => type).entries()
    .map(([type, list]) => [type, list.length]);
  assertEquals(Object.fromEntries(counts), { request: 20, check: 20, iteration: 20 });
  assertEquals(run.folder.read("s.csv").trimEnd().split("\n").length, 61);
  assertStringIncludes(run.stderr, "output json s.jsonl: 60 written\n");
  assertStringIncludes(run.stderr, "output csv s.csv: 60 written\n");
});

Deno.test("outputs push metrics to their servers, with the configured headers", async () => {
  const taken: { path: string; key: string | null; size: number }[] = [];
  await using server = receiver(async (request) => {
    const size = (await request.arrayBuffer()).byteLength;
    taken.push({ path: new URL(request.url).pathname, key: request.headers.get("x-key"), size });
  });
  const at = `http://127.0.0.1:${server.addr.port}`;
  using run = await runWith(
    `[{type: otlp, endpoint: "${at}", headers: {x-key: k}}, ` +
      `{type: prometheus, remote_write: "${at}/write", headers: {x-key: k}}]`,
  );
  assertEquals(run.code, 0, run.stderr);
  const lines = /output otlp \S+: 1 written\noutput prometheus \S+: 1 written\nnext: .*\n$/;
  assertMatch(run.stderr, lines);
  const keys = taken.map(({ path, key }) => [path, key]).sort();
  assertEquals(keys, [["/v1/metrics", "k"], ["/write", "k"]]);
  assertEquals(taken.every(({ size }) => size > 500), true);
});

Deno.test("run --shard auto includes the shard's number in the thresholds warning and in metric labels", async () => {
  const bodies: string[] = [];
  await using server = receiver(async (request) => bodies.push(await request.text()));
  using run = await runWith(
    `[{type: otlp, endpoint: "http://127.0.0.1:${server.addr.port}"}]\n` +
      `thresholds: {http_reqs: ["count>0"]}`,
    " --shard auto",
    { env: { SLURM_PROCID: "1", SLURM_NTASKS: "2" } },
  );
  assertEquals(run.code, 0, run.stderr);
  assertStringIncludes(run.stderr, "shard 2/2: thresholds are not evaluated");
  assertStringIncludes(bodies[0], '{"key":"shard","value":{"stringValue":"2/2"}}');
});

const UNREACHABLE = '[{type: otlp, endpoint: "http://127.0.0.1:9"}]';

Deno.test("run continues if the server of an output is unreachable, and reports the dropped samples", async () => {
  using run = await runWith(UNREACHABLE);
  assertEquals(run.code, 1);
  assertMatch(run.stderr, /output otlp \S+: 0 written, 1 dropped: /);
});

Deno.test("an otlp output reports the data points that its receiver rejected", async () => {
  const partialSuccess = { rejectedDataPoints: "5", errorMessage: "too old" };
  await using server = receiver(() => {}, { partialSuccess });
  using run = await runWith(`[{type: otlp, endpoint: "http://127.0.0.1:${server.addr.port}"}]`);
  assertEquals(run.code, 1);
  const rejected = /0 written, 1 dropped: the receiver rejected 5 data points: too old\n/;
  assertMatch(run.stderr, rejected);
});

Deno.test("an output that lost data is a warning in all reports and fails the run", async () => {
  using run = await runWith(UNREACHABLE, " --quiet --summary-export ./summary.json");
  assertEquals([run.code, run.stderr], [1, ""]);
  assertMatch(run.stdout, /the output otlp \S+ is incomplete: 0 written, 1 dropped: /);
  const summary = run.folder.readJson("summary.json");
  assertEquals(summary.lossy_outputs.length, 1);
  assertMatch(bannerLines(runBanner(summary)).text, /the output otlp \S+ is incomplete/);
});

Deno.test("run does not start if an output cannot be opened", async () => {
  using run = await runWith("[{type: json, path: none/s.jsonl}]");
  assertEquals(run.code, 1);
  assertStringIncludes(run.stderr, "cannot write the output none/s.jsonl");
});

Deno.test("run rejects outputs outside the plan's folder unless --allow-output lists them", async () => {
  using outside = new CliFolder({ rc: "keep me" });
  const csv = (path: string) => `[{type: csv, path: "${path}"}]`;
  const [target, victim] = [`${outside.path}/s.csv`, `${outside.path}/rc`];
  for (const path of [target, victim, "../escaped.csv"]) {
    using run = await runWith(csv(path));
    assertEquals(run.code, 1, run.stderr);
    assertStringIncludes(run.stderr, "is not in the plan's folder; add `--allow-output");
    assertEquals(run.folder.names(), ["plan.yaml"]);
  }
  using allowed = await runWith(csv(target), ` --allow-output ${outside.path}`);
  assertEquals(allowed.code, 0, allowed.stderr);
  assertStringIncludes(allowed.stderr, `samples go to ${target}\n`);
  assertStringIncludes(outside.read("s.csv"), "time,type,scenario");
  // Allowed, but the existing file is not an earlier output.
  using other = await runWith(csv(victim), ` --allow-output ${outside.path}`);
  assertEquals(other.code, 1, other.stderr);
  assertStringIncludes(other.stderr, "not an earlier output of this type");
  assertEquals(outside.read("rc"), "keep me");
});

const AGAIN = "run ./plan.yaml --base-url http://127.0.0.1:9";

Deno.test("run rejects an output that is a link from the plan's folder to a file outside it", async () => {
  using outside = new CliFolder();
  using run = await runWith("[{type: csv, path: s.csv}]");
  assertEquals(run.code, 0, run.stderr);
  const path = `${run.folder.path}/s.csv`;
  for (const target of [`${outside.path}/rc`, outside.path]) {
    await Deno.remove(path);
    await Deno.symlink(target, path);
    const { code, stderr } = await run.folder.run(AGAIN);
    assertEquals(code, 1);
    assertStringIncludes(stderr, "is not in the plan's folder");
  }
  assertEquals(outside.names(), []);
});

Deno.test("run rejects an output that would overwrite the plan, a file that the plan reads, or another output", async () => {
  const rest = "data: {d: {type: json, path: data.json}}\n";
  using folder = new CliFolder({ "data.json": [{ a: 1 }] });
  for (
    const [outputs, message] of [
      ["[{type: csv, path: data.json}]", "the plan reads this file"],
      ["[{type: json, path: plan.yaml}]", "the plan reads this file"],
      ["[{type: json, path: x}, {type: csv, path: ./x}]", "another output writes this file"],
    ]
  ) {
    folder.write("plan.yaml", plan(outputs, rest));
    const { code, stderr } = await folder.run(AGAIN);
    assertEquals(code, 1, stderr);
    assertStringIncludes(stderr, message);
  }
  folder.write("plan.yaml", plan("[{type: csv, path: s.csv}]", rest));
  for (const option of ["--summary-export", "--html", "--junit"]) {
    for (const file of ["data.json", "s.csv", "plan.yaml"]) {
      const { stderr, code } = await folder.run(`${AGAIN} ${option} ./${file}`);
      assertNotEquals(code, 0, stderr);
      assertStringIncludes(stderr, "already uses the file");
    }
  }
  assertEquals(folder.readJson("data.json"), [{ a: 1 }]);
});

Deno.test("run replaces the outputs of an earlier run", async () => {
  using run = await runWith("[{type: json, path: s.jsonl}, {type: csv, path: s.csv}]");
  const { stderr } = await run.folder.run(AGAIN);
  assertEquals(stderr.includes("cannot write"), false, stderr);
});

Deno.test("a metrics endpoint on a loopback address rejects foreign host names", async () => {
  const scrape = new PrometheusScrape("127.0.0.1", 0);
  const status = async (host: string) => {
    const conn = await Deno.connect({ hostname: "127.0.0.1", port: scrape.port });
    await conn.write(
      new TextEncoder().encode(
        `GET /metrics HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      ),
    );
    const text = await new Response(conn.readable).text();
    return Number(text.slice(9, 12));
  };
  try {
    assertEquals(await status("127.0.0.1:9464"), 200);
    assertEquals(await status("localhost"), 200);
    assertEquals(await status("evil.example"), 421);
  } finally {
    await scrape.close();
  }
});

/**
 * Values of `max_duration` in ms. If the process stalls and the events arrive after `max_duration`,
 * the test repeats the run with the next, longer value.
 */
const DURATIONS = [100, 1_000, 10_000];

Deno.test("run ends server-sent events over HTTP/2 at `max_duration` and keeps the connection usable", async () => {
  const closed: Promise<void>[] = [];
  await using server = await http2Server(false, ({ url }, response) => {
    if (url === "/silent") return;
    if (url === "/next") return void response.end("ok");
    closed.push(new Promise((resolve) => response.stream.on("close", resolve)));
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("data: 1\n\ndata: 2\n\n");
  });
  using folder = new CliFolder();
  const [plan, exported] = [join(folder.path, "plan.yaml"), join(folder.path, "summary.json")];
  const run = async (ms: number): Promise<Summary> => {
    await Deno.writeTextFile(
      plan,
      `
name: events
defaults: {http: {base_url: "http://127.0.0.1:${server.port}", version: http2}}
scenarios:
  s:
    executor: per-vu-iterations
    vus: 2
    iterations: 2
    flow:
      - {request: {name: events, url: /events, sse: {max_duration: ${ms}ms}}}
      - {request: {name: next, url: /next}}
      - {request: {name: silent, url: /silent, sse: {max_duration: 50ms}}}
      - {request: {name: after, url: /next}}
`,
    );
    const { code, stderr } = await runCli(["run", plan, "--summary-export", exported]);
    assertEquals(code, 0, stderr);
    return JSON.parse(await Deno.readTextFile(exported));
  };
  const failures = (summary: Summary) =>
    summary.endpoints.reduce((sum, { failed }) => sum + failed, 0);
  let summary = await run(DURATIONS[0]);
  for (const ms of DURATIONS.slice(1)) if (failures(summary) > 4) summary = await run(ms);
  assertEquals(
    summary.endpoints.map(({ name, count, failed }) => [name, count, failed]).sort(),
    [["after", 4, 0], ["events", 4, 0], ["next", 4, 0], ["silent", 4, 4]],
  );
  assertEquals(summary.errors.map(({ kind, count }) => [kind, count]), [["timeout", 4]]);
  assertEquals((summary.metrics.sse_events as CounterStats).count, 8);
  await Promise.all(closed);
});

const MAIN = fromFileUrl(new URL("../../../main.ts", import.meta.url));
const SERVERS = fromFileUrl(new URL("../../support/unix_servers.ts", import.meta.url));

Deno.test({
  name: "run sends requests to Unix sockets, with and without TLS",
  ignore: Deno.build.os === "windows",
  async fn() {
    using temp = new TempFolder();
    const folder = temp.path;
    await Deno.writeTextFile(`${folder}/ca.pem`, pem("ca.pem"));
    await Deno.writeTextFile(
      `${folder}/plan.yaml`,
      `
defaults:
  http:
    hosts: {app.test: "unix:plain.sock", localhost: "unix:${folder}/tls.sock"}
    tls: {ca_file: ca.pem}
scenarios:
  s:
    executor: per-vu-iterations
    vus: 1
    iterations: 1
    flow:
      - request: {url: "http://app.test/a"}
      - request: {url: "https://localhost/b"}
`,
    );
    const servers = new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "-A", SERVERS, folder],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    try {
      const output = servers.stdout.getReader();
      assert(!(await output.read()).done);
      const run = async (...permissions: string[]) => {
        const args = ["run", "--quiet", "--no-prompt", ...permissions, MAIN, "run"];
        const command = new Deno.Command(Deno.execPath(), {
          args: [...args, `${folder}/plan.yaml`, "--once", "--bodies"],
        });
        const { code, stdout, stderr } = await command.output();
        const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
        return { code, stdout: text(stdout), stderr: text(stderr) };
      };
      const { code, stdout, stderr } = await run("-A");
      assertEquals(code, 0, stdout + stderr);
      assertStringIncludes(stdout, "< app.test/a");
      assertStringIncludes(stdout, "< tls!");
      const denied = await run("--allow-read", "--allow-env");
      assertEquals(denied.code, 1);
      assertStringIncludes(denied.stderr, `--allow-net=unix:${folder}/plain.sock`);
      await output.cancel();
    } finally {
      await servers.stdin.close();
      await servers.status;
    }
  },
});

/** Runs one URL with `options` and returns the summary. */
async function load(path: string, ...options: string[]): Promise<Summary> {
  const server = startDemo({ port: 0, catchAll: true });
  using folder = new CliFolder();
  try {
    const file = join(folder.path, "summary.json");
    const url = path.replace("ORIGIN", new URL(server.origin).host);
    const { code, stderr } = await runCli(["run", url, ...options, "--summary-export", file]);
    assertEquals(code, 0, stderr);
    return JSON.parse(await Deno.readTextFile(file));
  } finally {
    await server.stop();
  }
}

function requests({ metrics }: Summary): number {
  return (metrics.http_reqs as CounterStats).count;
}

Deno.test("run with a URL sends the given number of requests to it", async () => {
  const summary = await load(
    "http://ORIGIN/a?q=${secrets.X}#part",
    "--iterations",
    "7",
    "--vus",
    "2",
  );
  assertEquals(requests(summary), 7);
  const [{ name, statuses }] = summary.endpoints;
  assertEquals([name, statuses], ["GET /a", { "200": 7 }]);
  assertEquals(summary.scenarios[0].max_vus, 2);
  assertMatch(summary.environment!.plan, /^http:\/\/127\.0\.0\.1:\d+\/a\?q=\$\{secrets\.X\}#part$/);
});

Deno.test("run with a URL starts the given number of requests per second", async () => {
  const summary = await load("http://ORIGIN/", "--rate", "100", "--duration", "100ms");
  const [{ executor, iterations, dropped }] = summary.scenarios;
  assertEquals([executor, iterations + dropped], ["constant-arrival-rate", 10]);
  assertEquals(summary.environment!.options, ["--duration 100ms", "--rate 100"]);
});

Deno.test("the summary of a run with a URL hides the password in the URL", async () => {
  const summary = await load("http://me:pass%20word@ORIGIN/", "--iterations", "1");
  assertEquals(/pass(%20| )word/.test(JSON.stringify(summary)), false);
});

Deno.test("the summary of a run with a URL hides credentials in the URL's query string", async () => {
  const url = "http://ORIGIN/a?access%5Ftoken=Zx81-first&key=2&page=3";
  const summary = await load(url, "--iterations", "1");
  assertEquals(JSON.stringify(summary).includes("Zx81"), false);
  const shown = /^http:\/\/127\.0\.0\.1:\d+\/a\?access%5Ftoken=\*{8}&key=2&page=3$/;
  assertMatch(summary.environment!.plan, shown);
  assertMatch(summary.name!, shown);
});

Deno.test("run with a URL rejects invalid URLs and options that have no effect", async () => {
  const cases: [args: string[], message: string][] = [
    [["http://"], "error: http:// is not a valid URL"],
    [["http://me:secret@a b/"], "error: http://me:******@a b/ is not a valid URL"],
    [
      ["http://a/", "--base-url", "http://b"],
      "--base-url works only for a plan, but the input is a URL",
    ],
    [["http://a/", "--rate-scale", "2"], "--rate-scale works only for a plan, but the input is"],
    [
      ["http://a/", "--rate", "2", "--iterations", "2"],
      "--rate cannot be combined with --iterations: use --duration",
    ],
    [["http://a/", "--rate", "0"], "--rate cannot be 0"],
    [["http://a/", "--duration", "x"], "--duration cannot be x"],
    [
      ["plan.yaml", "--rate", "2"],
      "--rate works only for a URL, but the input is a plan; use --rate-scale",
    ],
    [
      ["plan.yaml", "--rate", "2", "--iterations", "2"],
      "--rate works only for a URL, but the input is a plan; use --rate-scale",
    ],
    [
      ["http://a/", "http://b/"],
      "expected one plan (- for standard input) or URL to run, but got 2",
    ],
  ];
  for (const [args, message] of cases) {
    const { code, stderr } = await runCli(["run", ...args]);
    assertEquals(code, 2, stderr);
    assertStringIncludes(stderr, message);
  }
});

Deno.test("run --once all runs every choice of a random step", async () => {
  const server = startDemo({ port: 0, catchAll: true });
  const plan = await Deno.makeTempFile({ suffix: ".yaml" });
  const choices = ["/a", "/b", "/c"].map((url) => `{steps: [{request: {url: ${url}}}]}`).join(", ");
  await Deno.writeTextFile(
    plan,
    `scenarios: {main: {executor: constant-vus, vus: 9, duration: 1h, flow: [{random: {choices: [${choices}]}}]}}`,
  );
  try {
    const shown = async (...once: string[]) => {
      const { stdout } = await runCli(["run", plan, "--base-url", server.origin, ...once]);
      return [...stdout.matchAll(/^#\d+ GET \S+(\/\w)$/gm)].map(([, path]) => path);
    };
    assertEquals(await shown("--once", "all"), ["/a", "/b", "/c"]);
    assertEquals((await shown("--once")).length, 1);
  } finally {
    await server.stop();
    await Deno.remove(plan);
  }
});
