import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { type Outcome, runCli, runProcess } from "../../support/cli.ts";
import { CliFolder } from "../../support/cli_folder.ts";
import { parsedPlan } from "../../support/parsed_plan.ts";
import { S3Server } from "../../support/s3_server.ts";

const LINE = (path: string) =>
  `203.0.113.5 - - [21/Nov/2026:10:00:00 +0000] "GET ${path} HTTP/1.1" 200 1\n`;
const FIRST = LINE("/a").repeat(3) + LINE("/b");
const SECOND = LINE("/a").repeat(3) + LINE("/b").repeat(2) + LINE("/c");
const CONVERT = "convert ./access.log";
const UPDATE = `${CONVERT} --update ./plan.yaml`;

Deno.test("convert --update writes a new plan and its base, and keeps edits and comments when run again", async () => {
  using folder = new CliFolder({ "access.log": FIRST });
  const created = await folder.run(UPDATE);
  assertEquals(created.code, 0);
  const text = folder.read("plan.yaml");
  assertEquals(folder.read("plan.yaml.base"), text);
  folder.write(
    "plan.yaml",
    text.replace("scenarios:", "# our load\nscenarios:").replace("name: GET /b", "name: B"),
  );
  folder.write("access.log", SECOND);
  const { code, stderr } = await folder.run(UPDATE);
  assertEquals(code, 0, stderr);
  assertStringIncludes(stderr, "updated ./plan.yaml: ");
  assertStringIncludes(stderr, " 0 conflicts\n");
  const updated = folder.read("plan.yaml");
  assertStringIncludes(updated, "# our load\n");
  assertStringIncludes(updated, "name: GET /c\n");
  assertStringIncludes(updated, "- weight: 2\n              name: B\n");
  const fresh = await folder.run(CONVERT);
  assertEquals(folder.read("plan.yaml.base"), fresh.stdout);
  const again = await folder.run(UPDATE);
  assertStringIncludes(again.stderr, ": 0 changes from the new conversion, ");
  assertEquals(folder.read("plan.yaml"), updated);
});

Deno.test("convert --update keeps a conflicting edit, shows both values, and fails with --strict", async () => {
  using folder = new CliFolder({ "access.log": FIRST });
  await folder.run(UPDATE);
  const text = folder.read("plan.yaml");
  folder.write("plan.yaml", text.replace(/( rate: )[\d.]+/, "$150"));
  folder.write("access.log", SECOND);
  const { code, stderr } = await folder.run(`${UPDATE} --strict`);
  assertEquals(code, 3);
  assertStringIncludes(
    stderr,
    "warning[edit-conflict] scenarios.replayed_traffic.rate: kept your 50, but the new conversion has 6\n",
  );
  const plan = parsedPlan(folder.read("plan.yaml"));
  const [scenario] = Object.values(plan.scenarios);
  assertEquals("rate" in scenario && scenario.rate, 50);
  const json = await folder.run(`${UPDATE} --warnings json`);
  assertEquals(json.stderr.includes("next:"), false);
});

Deno.test("convert --update warns about a comment on lines that the new conversion removed", async () => {
  using folder = new CliFolder({ "access.log": FIRST });
  await folder.run(UPDATE);
  const text = folder.read("plan.yaml");
  const comments = text.replace("url: /a\n", "url: /a # kept\n")
    .replace("url: /b\n", "url: /b # of b\n");
  folder.write("plan.yaml", comments);
  const { code, stderr } = await folder.run(
    `${UPDATE} --exclude /b --strict`,
  );
  assertEquals(code, 3);
  assertStringIncludes(
    stderr,
    'warning[edit-conflict] comment: the new conversion removed the lines that your comment "# of b" ' +
      "was attached to\n",
  );
  assertEquals(stderr.split("edit-conflict").length, 2);
  const updated = folder.read("plan.yaml");
  assertStringIncludes(updated, "url: /a # kept\n");
  assertEquals(updated.includes("of b"), false);
});

Deno.test("convert --update replaces only the comments of the earlier conversion at the start of the plan", async () => {
  using folder = new CliFolder({ "access.log": FIRST });
  for (const newline of ["\n", "\r\n"]) {
    folder.write("access.log", FIRST);
    await folder.run(UPDATE);
    const text = folder.read("plan.yaml");
    assertStringIncludes(text, "from an access log of 4 requests.\n");
    const edit = (plan: string) =>
      `# yaml-language-server: $schema=mine\n${plan}`.replace("\nname:", "\n# Ours: #1 \nname:");
    const edited = edit(text);
    folder.write("plan.yaml", edited.replaceAll("\n", newline));
    folder.write("access.log", SECOND);
    await folder.run(UPDATE);
    const updated = folder.read("plan.yaml");
    const fresh = (await folder.run(CONVERT)).stdout;
    assertEquals(updated, edit(fresh).replaceAll("\n", newline));
    await Deno.remove(`${folder.path}/plan.yaml`);
    await Deno.remove(`${folder.path}/plan.yaml.base`);
  }
});

Deno.test("convert --update keeps comments that you changed at the start of the plan", async () => {
  using folder = new CliFolder({ "access.log": FIRST });
  await folder.run(UPDATE);
  const text = folder.read("plan.yaml");
  const edited = text.replace("# Use it to test", "# Do not use it to test");
  folder.write("plan.yaml", edited);
  folder.write("access.log", SECOND);
  const { stderr } = await folder.run(UPDATE);
  assertEquals(stderr.includes("edit-conflict"), false);
  const updated = folder.read("plan.yaml");
  assertEquals(updated.split("\nname:")[0], edited.split("\nname:")[0]);
});

Deno.test("convert --update needs the unedited plan, and writes nothing if the result is invalid", async () => {
  using folder = new CliFolder({ "access.log": FIRST });
  await folder.run(`${CONVERT} -o ./plan.yaml`);
  const text = folder.read("plan.yaml");
  const missing = await folder.run(UPDATE);
  assertEquals(missing.code, 1);
  assertStringIncludes(missing.stderr, "plan.yaml.base does not exist; add `--base FILE`");
  folder.write("base.yaml", text);
  const edited = text.replace(/weight: \d+/g, "weight: 0");
  folder.write("plan.yaml", edited);
  const invalid = await folder.run(`${UPDATE} --base ./base.yaml`);
  assertEquals(invalid.code, 1);
  assertEquals(folder.read("plan.yaml"), edited);
  const both = await folder.run(`${UPDATE} -o ./b.yaml`);
  assertEquals(both.code, 2);
  assertEquals((await folder.run(`${CONVERT} --base ./base.yaml`)).code, 2);
});

Deno.test("convert --update keeps the edits and the base if two options specify the same file", async () => {
  using folder = new CliFolder({ "access.log": FIRST });
  await folder.run(UPDATE);
  const edited = folder.read("plan.yaml").replace("name: GET /b", "name: B");
  folder.write("plan.yaml", edited);
  folder.write("access.log", SECOND);
  const base = folder.read("plan.yaml.base");
  folder.write("older.yaml", base);
  await Deno.symlink(`${folder.path}/plan.yaml`, `${folder.path}/link.yaml`);
  await Deno.symlink(`${folder.path}/new`, `${folder.path}/dangling`);
  for (
    const options of [
      "--base ./plan.yaml",
      "--base ./link.yaml",
      "--html ./plan.yaml.base",
      "--html ././plan.yaml",
      "--profile ././plan.yaml.base",
      "--base ./older.yaml --html ./older.yaml",
      "--html ./dangling --profile ./new",
    ]
  ) {
    const { code, stderr } = await folder.run(`${UPDATE} ${options}`);
    assertEquals([code, options], [2, options], stderr);
    const left = ["plan.yaml", "plan.yaml.base", "older.yaml"].map((name) => folder.read(name));
    assertEquals(left, [edited, base, base]);
  }
});

Deno.test("convert --update does not write any other output if the merge fails", async () => {
  using folder = new CliFolder({ "access.log": FIRST });
  await folder.run(UPDATE);
  await Deno.remove(`${folder.path}/plan.yaml.base`);
  const extra = "--html ./page.html --profile ./profile.json";
  assertEquals((await folder.run(`${UPDATE} ${extra}`)).code, 1);
  assertEquals(folder.names(), ["access.log", "plan.yaml"]);
  assertEquals((await folder.run(`${CONVERT} -o ./other.yaml ${extra}`)).code, 0);
  assertStringIncludes(folder.read("profile.json"), '"GET /a"');
  assertStringIncludes(folder.read("page.html"), "/a");
});

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
