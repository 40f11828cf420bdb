import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { type Outcome, runCli, runProcess } from "../../support/cli.ts";
import { S3Server } from "../../support/s3_server.ts";
import { CliFolder } from "../../support/cli_folder.ts";

const LOGS = [0, 1, 2, 3, 4].map((minute) =>
  Array.from(
    { length: 40 },
    (_, i) =>
      `10.0.0.${i % 7} - - [21/Nov/2026:10:0${minute}:${10 + i} +0000] "GET /page/${
        (i * minute) % 5
      }x HTTP/1.1" 200 1\n`,
  ).join("")
);

async function withLogs(
  test: (
    convert: (...args: string[]) => Promise<Outcome>,
    server: S3Server,
  ) => Promise<void>,
): Promise<void> {
  using cwd = new CliFolder();
  await using server = new S3Server();
  for (const [i, log] of LOGS.entries()) {
    const bytes = new TextEncoder().encode(log);
    server.objects.set(`logs/2026/11/${i}.log`, bytes);
    await Deno.writeFile(join(cwd.path, `${i}.log`), bytes);
  }
  await test(
    (...args) =>
      runCli(["convert", ...args.map((arg) => /^\d\.log$/.test(arg) ? join(cwd.path, arg) : arg)], {
        env: server.env,
      }),
    server,
  );
}

Deno.test("convert creates the same plan from objects in S3 as from local files", () =>
  withLogs(async (convert, server) => {
    server.faults.push({ cutAfter: 700 });
    const local = await convert(...LOGS.map((_, i) => `${i}.log`), "--top", "all");
    const remote = await convert("s3://logs/2026/11/", "--top", "all");
    assertEquals([remote.code, remote.stderr], [0, local.stderr]);
    assertEquals(remote.stdout, local.stdout);
  }));

Deno.test("convert creates the same plan from profiles of shards in S3 as from the logs", () =>
  withLogs(async (convert, server) => {
    const local = await convert(...LOGS.map((_, i) => `${i}.log`), "--top", "all");
    for (const shard of ["1/2", "2/2"]) {
      const made = await convert(
        "s3://logs/2026/",
        "--shard",
        shard,
        "--profile",
        "s3://scratch/p/",
      );
      assertEquals([made.code, made.stdout], [0, ""], made.stderr);
      assertStringIncludes(made.stderr, `shard ${shard}: profiled `);
    }
    assert(server.objects.has("scratch/p/profile-1-of-2.json"));
    const merged = await convert("s3://scratch/p/", "--top", "all");
    assertEquals([merged.code, merged.stdout], [0, local.stdout], merged.stderr);
  }));

Deno.test("convert --shard reports a shard without inputs, and rejects options that contradict it", () =>
  withLogs(async (convert) => {
    const none = await convert("0.log", "--shard", "2/2", "--profile", "p.json");
    assertEquals([none.code, none.stderr], [
      0,
      "shard 2/2 has no inputs; no profile was written\n",
    ]);
    const plan = await convert("0.log", "--shard", "1/2", "--profile", "p.json", "-o", "plan.yaml");
    assertStringIncludes(plan.stderr, "--shard cannot be combined with --output");
    const alone = await convert("0.log", "--shard", "1/2");
    assertStringIncludes(alone.stderr, "--shard works only with --profile");
    assertEquals([plan.code, alone.code], [2, 2]);
    const auto = await convert("0.log", "--shard", "auto", "--profile", "p.json");
    assertStringIncludes(auto.stderr, "JOB_COMPLETION_INDEX");
  }));

Deno.test("convert reports objects that do not exist, and URLs that it cannot write to", () =>
  withLogs(async (convert) => {
    const missing = await convert("s3://logs/2025/");
    assertEquals(missing.code, 1);
    assertStringIncludes(missing.stderr, "no key in the bucket starts with this prefix");
    const https = await convert("0.log", "--profile", "https://example.com/p.json");
    assertEquals(https.code, 2);
    assertStringIncludes(https.stderr, "expected a path or s3://BUCKET/KEY");
  }));

Deno.test("convert states the permissions that a URL needs", async () => {
  await using server = new S3Server();
  server.objects.set("logs/a.log", new TextEncoder().encode(LOGS[0]));
  const url = "s3://logs/a.log";
  const { env } = server;
  const none = await runProcess([], ["convert", url], { env });
  assertEquals([none.code, none.stdout], [1, ""]);
  assertStringIncludes(none.stderr, "--allow-env");
  const noNet = await runProcess(["--allow-env"], ["convert", url], { env });
  assertEquals(noNet.code, 1);
  assertStringIncludes(noNet.stderr, "--allow-net");
  const host = new URL(env.AWS_ENDPOINT_URL).host;
  const both = await runProcess(["--allow-env", `--allow-net=${host}`], ["convert", url], { env });
  assertEquals(both.code, 0, both.stderr);
});
