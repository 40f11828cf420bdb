import { assertEquals, assertNotEquals, assertStringIncludes } from "@std/assert";
import { freePort } from "../../scripts/local_port.ts";
import { permissionsOf } from "../../src/cli/command/command.ts";
import { loadCommands } from "../../src/cli/cli.ts";
import { startDemo } from "../../src/demo/server.ts";
import { copyCheckout, docsCommand, inDocsFolder } from "../support/docs_folder.ts";
import { S3Server } from "../support/s3_server.ts";

/**
 * All command lines in docs/permissions.md. Each has the permission flags that the page documents.
 */
const LINES = Deno.readTextFileSync(new URL("../../docs/permissions.md", import.meta.url))
  .split("\n").filter((line) =>
    line.startsWith("deno run --no-prompt") && line.includes("main.ts")
  );

/** Shell script that creates the files that the tested commands read. */
const BEFORE = `
run="rehearse run plan.yaml --base-url http://127.0.0.1:8080 --quiet --summary-export"
rehearse convert session.har -o session.yaml
cp session.har second.har
rehearse convert session.har --secrets | sed 's/env: .*PASSWORD/env: SHOP_PASSWORD/' > secret.yaml
$run summary.json
$run a.json --shard 1/2
$run b.json --shard 2/2
`;

const MADE: Record<string, Uint8Array> = {};

for (const line of LINES) {
  const serves = / main\.ts (demo --port|serve) /.test(line);
  Deno.test(`the command line works with the permissions that it lists: ${line}`, () =>
    serves ? runServer(line) : runToEnd(line));
}

Deno.test("docs/permissions.md shows every command with all of its permissions", async () => {
  for (const command of await loadCommands()) {
    const lines = LINES.filter((line) => line.includes(` main.ts ${command.name}`));
    const shown = lines.flatMap(permissions).map((flag) => /^--allow-(\w+)/.exec(flag)![1]);
    assertEquals(lines.length > 0, true, command.name);
    assertEquals([...new Set(shown)].sort(), permissionsOf(command).sort(), command.name);
  }
});

async function runToEnd(line: string): Promise<void> {
  await furnished(line, async (run) => {
    const { code, stderr } = await run(line).output();
    const text = new TextDecoder().decode(stderr);
    assertEquals(code, 0, text);
    assertEquals(text.includes("Deno requests"), false, text);
    for (const flag of permissions(line)) await failsWithout(flag, line, run);
  });
}

async function failsWithout(
  flag: string,
  line: string,
  run: (line: string) => Deno.Command,
): Promise<void> {
  const bare = line.replace(` ${flag}`, "").replace(/ \|\| .*/, "");
  const { code, stdout, stderr } = await run(bare).output();
  assertNotEquals(code, 0, bare);
  assertStringIncludes(
    new TextDecoder().decode(stderr) + new TextDecoder().decode(stdout),
    flag.split("=")[0],
    bare,
  );
}

async function runServer(line: string): Promise<void> {
  await furnished(line, async (run) => {
    for (const flag of permissions(line)) await failsWithout(flag, line, run);
    const child = run(`exec ${line}`).spawn();
    const reader = child.stdout.getReader();
    const { value } = await reader.read();
    const origin = / is at (http:\S+)/.exec(new TextDecoder().decode(value))![1];
    await (await fetch(origin)).body?.cancel();
    child.kill("SIGTERM");
    while (!(await reader.read()).done);
    await child.stderr.cancel();
    assertEquals((await child.status).code, 0);
  });
}

/**
 * Creates a folder with all files that `line` refers to, and calls `use` with a function that
 * creates a command from a command line. The function replaces port 8080 with the port of the demo
 * shop or of an object store, or with a free port.
 */
async function furnished(
  line: string,
  use: (run: (line: string) => Deno.Command) => Promise<void>,
): Promise<void> {
  const demo = startDemo({ port: 0, catchAll: true });
  await using store = new S3Server();
  store.isPublic = true;
  const log = new URL("../../testdata/logs/apache_combined_10k.log", import.meta.url);
  store.objects.set("logs/2026/access.log", await Deno.readFile(log));
  const port = / main\.ts (run|calibrate) /.test(line)
    ? new URL(demo.origin).port
    : / main\.ts convert \S+:\/\//.test(line)
    ? new URL(store.env.AWS_ENDPOINT_URL).port
    : freePort();
  const settings = Object.entries(store.env).map(([name, value]) => `export ${name}='${value}'\n`);
  try {
    await inDocsFolder(async (folder) => {
      await copyCheckout(folder);
      await makeOnce(folder, demo.origin);
      for (const [name, bytes] of Object.entries(MADE)) {
        await Deno.writeFile(`${folder}/${name}`, bytes);
      }
      await use((text) => {
        const asHere = text.replaceAll(":8080", `:${port}`).replace(
          "--port 8080",
          `--port ${port}`,
        );
        const variables = `export SHOP_PASSWORD=sesame\n${settings.join("")}`;
        return docsCommand(folder, variables + asHere);
      });
    });
  } finally {
    await demo.stop();
  }
}

async function makeOnce(folder: string, origin: string): Promise<void> {
  if (Object.keys(MADE).length > 0) return;
  const text = BEFORE.replace("http://127.0.0.1:8080", origin);
  const { code, stderr } = await docsCommand(folder, text).output();
  assertEquals(code, 0, new TextDecoder().decode(stderr));
  const plans = ["session.yaml", "secret.yaml"];
  for (const name of [...plans, "second.har", "summary.json", "a.json", "b.json"]) {
    MADE[name] = await Deno.readFile(`${folder}/${name}`);
  }
}

function permissions(line: string): string[] {
  return line.match(/--allow-\S+/g) ?? [];
}
