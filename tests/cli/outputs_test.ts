import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { createSocket } from "node:dgram";
import { startDemo } from "../../src/demo/server.ts";
import { runCli } from "../support/cli.ts";

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
  test: (run: { code: number; stderr: string; folder: string }) => Promise<void> | void,
  ...options: string[]
): Promise<void> {
  const folder = await Deno.makeTempDir();
  const server = startDemo();
  try {
    const path = join(folder, "plan.yaml");
    await Deno.writeTextFile(path, plan(outputs));
    const { code, stderr } = await runCli([
      "run",
      path,
      "--base-url",
      server.origin,
      ...options,
    ]);
    await test({ code, stderr, folder });
  } finally {
    await server.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("json and csv outputs stand beside the plan, with every sample of every thread", () =>
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
    "--workers",
    "2",
  ));

Deno.test("pushes reach their servers with their headers", async () => {
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
      assertMatch(stderr, /output otlp \S+: 1 written\noutput prometheus \S+: 1 written\n$/);
    },
  );
  await server.shutdown();
  assertEquals(taken.map(({ path, key }) => [path, key]).sort(), [
    ["/v1/metrics", "k"],
    ["/write", "k"],
  ]);
  assertEquals(taken.every(({ size }) => size > 500), true);
});

Deno.test("statsd packets arrive", async () => {
  const packets: string[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (message) => packets.push(new TextDecoder().decode(message)));
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  const { port } = socket.address();
  await runWith(
    `[{type: statsd, address: "127.0.0.1:${port}", prefix: x.}]`,
    ({ code, stderr }) => {
      assertEquals(code, 0);
      assertMatch(stderr, /output statsd 127\.0\.0\.1:\d+: \d+ written\n/);
    },
  );
  await new Promise<void>((resolve) => socket.close(() => resolve()));
  assertStringIncludes(packets.join("\n"), "x.http_reqs_total:20|c\n");
});

Deno.test("a dead exporter is told and changes nothing else", () =>
  runWith('[{type: otlp, endpoint: "http://127.0.0.1:9"}]', ({ code, stderr }) => {
    assertEquals(code, 0);
    assertMatch(stderr, /output otlp \S+: 0 written, 1 dropped: /);
  }));

Deno.test("an output that cannot be opened stops the run before it starts", () =>
  runWith("[{type: json, path: none/s.jsonl}]", ({ code, stderr }) => {
    assertEquals(code, 1);
    assertStringIncludes(stderr, "cannot write the output none/s.jsonl");
  }));
