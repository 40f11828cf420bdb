import { assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import { PrometheusScrape } from "../../../src/engine/outputs/prometheus.ts";
import { bannerLines } from "../../../src/report/html/print_html.ts";
import { runBanner } from "../../../src/report/html/run_head.ts";
import { startDemo } from "../../../src/demo/server.ts";
import type { World } from "../../support/cli.ts";
import { CliFolder } from "../../support/cli_folder.ts";

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
