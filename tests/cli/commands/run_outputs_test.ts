import { assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { PrometheusScrape } from "../../../src/engine/outputs/prometheus.ts";
import { bannerLines } from "../../../src/report/html/print_html.ts";
import { runBanner } from "../../../src/report/html/run_head.ts";
import { startDemo } from "../../../src/demo/server.ts";
import { runCli, type World } from "../../support/cli.ts";
import { TempFolder } from "../../support/temp_folder.ts";

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

async function runWith(
  outputs: string,
  test: (
    run: { code: number; stdout: string; stderr: string; folder: string },
  ) => Promise<void> | void,
  options: readonly string[] = [],
  world: World = {},
): Promise<void> {
  const folder = await Deno.makeTempDir();
  const server = startDemo();
  try {
    const path = join(folder, "plan.yaml");
    await Deno.writeTextFile(path, plan(outputs));
    const args = ["run", path, "--base-url", server.origin, ...options];
    const { code, stdout, stderr } = await runCli(args, world);
    await test({ code, stdout, stderr, folder });
  } finally {
    await server.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("json and csv outputs contain all samples of all threads", () =>
  runWith(
    "[{type: json, path: s.jsonl}, {type: csv, path: s.csv}]",
    async (run) => {
      assertEquals(run.code, 0, run.stderr);
      const json = await Deno.readTextFile(join(run.folder, "s.jsonl"));
      const types = json.trimEnd().split("\n").map((line) => JSON.parse(line).type);
      assertEquals(
        Object.fromEntries(
          Map.groupBy(types, (type) => type).entries().map(
            ([type, list]) => [type, list.length],
          ),
        ),
        { request: 20, check: 20, iteration: 20 },
      );
      const csv = await Deno.readTextFile(join(run.folder, "s.csv"));
      assertEquals(csv.trimEnd().split("\n").length, 61);
      assertStringIncludes(run.stderr, "output json s.jsonl: 60 written\n");
      assertStringIncludes(run.stderr, "output csv s.csv: 60 written\n");
    },
    ["--workers", "2"],
  ));

Deno.test("outputs push metrics to their servers, with the configured headers", async () => {
  const taken: { path: string; key: string | null; size: number }[] = [];
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => {
      const size = (await request.arrayBuffer()).byteLength;
      taken.push({ path: new URL(request.url).pathname, key: request.headers.get("x-key"), size });
      return new Response(null, { status: 204 });
    },
  );
  const at = `http://127.0.0.1:${server.addr.port}`;
  await runWith(
    `[{type: otlp, endpoint: "${at}", headers: {x-key: k}}, ` +
      `{type: prometheus, remote_write: "${at}/write", headers: {x-key: k}}]`,
    ({ code, stderr }) => {
      assertEquals(code, 0, stderr);
      assertMatch(
        stderr,
        /output otlp \S+: 1 written\noutput prometheus \S+: 1 written\nnext: .*\n$/,
      );
    },
  );
  await server.shutdown();
  assertEquals(taken.map(({ path, key }) => [path, key]).sort(), [
    ["/v1/metrics", "k"],
    ["/write", "k"],
  ]);
  assertEquals(taken.every(({ size }) => size > 500), true);
});

Deno.test("run --shard auto includes the shard's number in the thresholds warning and in metric labels", async () => {
  const bodies: string[] = [];
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => {
      bodies.push(await request.text());
      return new Response(null, { status: 204 });
    },
  );
  try {
    await runWith(
      `[{type: otlp, endpoint: "http://127.0.0.1:${server.addr.port}"}]\n` +
        `thresholds: {http_reqs: ["count>0"]}`,
      ({ code, stderr }) => {
        assertEquals(code, 0, stderr);
        assertStringIncludes(stderr, "shard 2/2: thresholds are not evaluated");
      },
      ["--shard", "auto"],
      { env: { SLURM_PROCID: "1", SLURM_NTASKS: "2" } },
    );
  } finally {
    await server.shutdown();
  }
  assertStringIncludes(bodies[0], '{"key":"shard","value":{"stringValue":"2/2"}}');
});

Deno.test("run continues if the server of an output is unreachable, and reports the dropped samples", () =>
  runWith('[{type: otlp, endpoint: "http://127.0.0.1:9"}]', ({ code, stderr }) => {
    assertEquals(code, 1);
    assertMatch(stderr, /output otlp \S+: 0 written, 1 dropped: /);
  }));

Deno.test("an otlp output reports the data points that its receiver rejected", async () => {
  const partialSuccess = { rejectedDataPoints: "5", errorMessage: "too old" };
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => Response.json({ partialSuccess }),
  );
  await runWith(
    `[{type: otlp, endpoint: "http://127.0.0.1:${server.addr.port}"}]`,
    ({ code, stderr }) => {
      assertEquals(code, 1);
      assertMatch(
        stderr,
        /0 written, 1 dropped: the receiver rejected 5 data points: too old\n/,
      );
    },
  );
});

Deno.test("an output that lost data is a warning in all reports and fails the run", async () => {
  const file = await Deno.makeTempFile();
  await runWith('[{type: otlp, endpoint: "http://127.0.0.1:9"}]', ({ code, stdout, stderr }) => {
    assertEquals([code, stderr], [1, ""]);
    assertMatch(stdout, /the output otlp \S+ is incomplete: 0 written, 1 dropped: /);
  }, ["--quiet", "--summary-export", file]);
  const summary = JSON.parse(await Deno.readTextFile(file));
  assertEquals(summary.lossy_outputs.length, 1);
  assertMatch(bannerLines(runBanner(summary)).text, /the output otlp \S+ is incomplete/);
  await Deno.remove(file);
});

Deno.test("run does not start if an output cannot be opened", () =>
  runWith("[{type: json, path: none/s.jsonl}]", ({ code, stderr }) => {
    assertEquals(code, 1);
    assertStringIncludes(stderr, "cannot write the output none/s.jsonl");
  }));

Deno.test("run rejects outputs outside the plan's folder unless --allow-output lists them", async () => {
  using temp = new TempFolder();
  const outside = temp.path;
  const victim = join(outside, "rc");
  await Deno.writeTextFile(victim, "keep me");
  const target = join(outside, "s.csv");
  for (const path of [target, victim, "../escaped.csv"]) {
    await runWith(`[{type: csv, path: "${path}"}]`, ({ code, stderr, folder }) => {
      assertEquals(code, 1, stderr);
      assertStringIncludes(stderr, "is not in the plan's folder; add `--allow-output");
      assertEquals([...Deno.readDirSync(folder)].map(({ name }) => name), ["plan.yaml"]);
    });
  }
  await runWith(
    `[{type: csv, path: "${target}"}]`,
    ({ code, stderr }) => {
      assertEquals(code, 0, stderr);
      assertStringIncludes(stderr, `samples go to ${target}\n`);
    },
    ["--allow-output", outside],
  );
  assertStringIncludes(await Deno.readTextFile(target), "time,type,scenario");
  // Allowed, but the existing file is not an earlier output.
  await runWith(
    `[{type: csv, path: "${victim}"}]`,
    ({ code, stderr }) => {
      assertEquals(code, 1, stderr);
      assertStringIncludes(stderr, "not an earlier output of this type");
    },
    ["--allow-output", outside],
  );
  assertEquals(await Deno.readTextFile(victim), "keep me");
});

Deno.test("run rejects an output that is a link from the plan's folder to a file outside it", async () => {
  using temp = new TempFolder();
  const outside = temp.path;
  await runWith("[{type: csv, path: s.csv}]", async ({ code, stderr, folder }) => {
    assertEquals(code, 0, stderr);
    await Deno.remove(join(folder, "s.csv"));
    for (const target of [join(outside, "rc"), outside]) {
      await Deno.symlink(target, join(folder, "s.csv"));
      const { code, stderr } = await runCli([
        "run",
        join(folder, "plan.yaml"),
        "--base-url",
        "http://127.0.0.1:9",
      ]);
      assertEquals(code, 1);
      assertStringIncludes(stderr, "is not in the plan's folder");
      await Deno.remove(join(folder, "s.csv"));
    }
    assertEquals([...Deno.readDirSync(outside)], []);
  });
});

Deno.test("run rejects an output that would overwrite the plan, a file that the plan reads, or another output", async () => {
  const rest = "data: {d: {type: json, path: data.json}}\n";
  using temp = new TempFolder();
  const folder = temp.path;
  const path = join(folder, "plan.yaml");
  const data = '[{"a": 1}]';
  const runAgainst = (...options: string[]) =>
    runCli(["run", path, "--base-url", "http://127.0.0.1:9", ...options]);
  await Deno.writeTextFile(join(folder, "data.json"), data);
  const table: [outputs: string, message: string][] = [
    ["[{type: csv, path: data.json}]", "the plan reads this file"],
    ["[{type: json, path: plan.yaml}]", "the plan reads this file"],
    ["[{type: json, path: x}, {type: csv, path: ./x}]", "another output writes this file"],
  ];
  for (const [outputs, message] of table) {
    await Deno.writeTextFile(path, plan(outputs, rest));
    const { code, stderr } = await runAgainst();
    assertEquals(code, 1, stderr);
    assertStringIncludes(stderr, message);
  }
  await Deno.writeTextFile(path, plan("[{type: csv, path: s.csv}]", rest));
  for (const option of ["--summary-export", "--html", "--junit"]) {
    for (const file of ["data.json", "s.csv", "plan.yaml"]) {
      const { stderr, code } = await runAgainst(option, join(folder, file));
      assertNotEquals(code, 0, stderr);
      assertStringIncludes(stderr, "already uses the file");
    }
  }
  assertEquals(await Deno.readTextFile(join(folder, "data.json")), data);
});

Deno.test("run replaces the outputs of an earlier run", () =>
  runWith("[{type: json, path: s.jsonl}, {type: csv, path: s.csv}]", async ({ folder }) => {
    const again = await runCli([
      "run",
      join(folder, "plan.yaml"),
      "--base-url",
      "http://127.0.0.1:9",
    ]);
    assertEquals(again.stderr.includes("cannot write"), false, again.stderr);
  }));

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
