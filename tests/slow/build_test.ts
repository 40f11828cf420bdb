import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { createHash } from "node:crypto";
import { fromFileUrl, join } from "@std/path";
import { logLine } from "../builders/log_line.ts";
import config from "../../deno.json" with { type: "json" };

const ROOT = fromFileUrl(new URL("../../", import.meta.url));
const folder = await Deno.makeTempDir();
const DIST = join(folder, "dist");
const LOG = join(folder, "access.log");
const HAR = join(ROOT, "src/demo/sample/session.har");
/** Size from which a log is read by several threads. */
const LARGE = 101 * 1000 * 1000;

Deno.test.beforeAll(async () => {
  await deno(["run", "--frozen", "-P=scripts", "scripts/build.ts", DIST], ROOT);
  const log = Array.from({ length: 1000 }, (_, i) => {
    const line = logLine({ at: Date.UTC(2026, 10, 1) + i * 10_000, path: "/cart" });
    return line.repeat(Math.ceil(LARGE / 1000 / line.length));
  });
  await Deno.writeTextFile(LOG, log.join(""));
});

Deno.test.afterAll(() => Deno.remove(folder, { recursive: true }));

Deno.test("two builds in different folders have the same bytes", async () => {
  const copy = join(folder, "copy");
  await Deno.mkdir(copy);
  const sources = ["main.ts", "deno.json", "deno.lock", "src", "scripts"];
  const { success } = await new Deno.Command("cp", { args: ["-r", ...sources, copy], cwd: ROOT })
    .output();
  assert(success);
  await deno(["run", "--frozen", "-P=scripts", "scripts/build.ts"], copy);
  assertEquals(await hashes(join(copy, "dist")), await hashes(DIST));
});

Deno.test("no file of a build contains a path of this machine, or loads `node:module`", async () => {
  const paths = [ROOT, folder, Deno.env.get("HOME")!, "/npm/", "node:module"];
  for (const [name, content] of await files(DIST)) {
    for (const path of paths) assert(!content.includes(path), `${name} contains ${path}`);
  }
});

Deno.test("THIRD-PARTY.md contains the license of every package that the source imports", async () => {
  const licenses = await Deno.readTextFile(join(DIST, "THIRD-PARTY.md"));
  const source = (await files(join(ROOT, "src"))).values().toArray().join("\n");
  const imported = Object.entries(config.imports)
    .filter(([name]) => source.includes(` from "${name}";\n`))
    .flatMap(([, specifier]) => /^npm:(@?[^@]+@[^/]+)/.exec(specifier)?.[1] ?? []);
  assert(imported.length > 10);
  for (const id of imported) assertStringIncludes(licenses, `\n## ${id}\n`);
  for (const id of ["hdr-histogram-js", "js-tokens"]) assert(!licenses.includes(`\n## ${id}@`));
});

Deno.test("the bill of materials lists the packages in THIRD-PARTY.md", async () => {
  const args = ["run", "--frozen", "-P=scripts", "scripts/release/sbom.ts", DIST];
  const { components } = JSON.parse((await deno(args, ROOT)).stdout);
  const licenses = await Deno.readTextFile(join(DIST, "THIRD-PARTY.md"));
  assertEquals(
    components.map(({ name, version }: Record<string, string>) => `## ${name}@${version}`),
    licenses.match(/^## .+@.+$/gm),
  );
  for (const { hashes } of components) assertEquals(hashes[0].content.length, 128);
});

Deno.test("a build converts a log with read access to the log only, on several threads", async () => {
  const { code, stdout, stderr } = await run([`--allow-read=${LOG}`], "convert", LOG);
  assertEquals(code, 0, stderr);
  assertStringIncludes(stdout, "url: /cart\n");
  assert(!stderr.includes("one-thread"), stderr);
});

Deno.test("a build converts a HAR with read access to the HAR only", async () => {
  const { code, stdout, stderr } = await run([`--allow-read=${HAR}`], "convert", HAR);
  assertEquals(code, 0, stderr);
  assertStringIncludes(stdout, "scenarios:\n");
});

Deno.test("a build runs a plan on two threads with read access to the plan only", async () => {
  let requests = 0;
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, () => {
    requests++;
    return new Response();
  });
  const origin = `127.0.0.1:${server.addr.port}`;
  const plan = join(folder, "plan.yaml");
  await Deno.writeTextFile(
    plan,
    `scenarios:
  main:
    { executor: constant-arrival-rate, rate: 20, duration: 1s, pre_allocated_vus: 20, flow: [
      { request: { url: "http://${origin}/" } } ] }
`,
  );
  const permissions = [`--allow-read=${plan}`, `--allow-net=${origin}`];
  const { code, stderr } = await run(permissions, "run", plan, "--workers", "2");
  assertEquals([code, requests], [0, 20], stderr);
});

Deno.test("a build reports an error if a thread cannot be loaded", () =>
  withText("worker.js", () => "export default \"import './lost.js';\";\n", async () => {
    const { code, stdout, stderr } = await run([`--allow-read=${LOG}`], "convert", LOG);
    assertEquals([code, stdout], [1, ""]);
    assertStringIncludes(stderr, "\nerror: the log thread failed: ");
    assertStringIncludes(stderr, "this copy of rehearse is damaged: install it again.");
  }));

Deno.test("the source maps of a build lead to the lines of the source", () =>
  withText("main.js", (text) => text.replace("import.meta.main", "null.meta.main  "), async () => {
    const { stderr } = await run([], "--version");
    const lines = (await Deno.readTextFile(join(ROOT, "main.ts"))).split("\n");
    const line = lines.findIndex((line) => line.includes("import.meta.main")) + 1;
    assertStringIncludes(stderr, `/dist/main.ts:${line}:`);
  }));

/** Calls `use` while the file `name` of the build contains the changed text. */
async function withText(
  name: string,
  change: (text: string) => string,
  use: () => Promise<void>,
): Promise<void> {
  const path = join(DIST, name);
  const text = await Deno.readTextFile(path);
  await Deno.writeTextFile(path, change(text));
  try {
    await use();
  } finally {
    await Deno.writeTextFile(path, text);
  }
}

/** Returns the contents of the files in a folder, keyed by path. */
async function files(folder: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (!isDirectory) found.set(name, await Deno.readTextFile(path));
    else for (const [inner, content] of await files(path)) found.set(`${name}/${inner}`, content);
  }
  return new Map([...found].sort());
}

/** Returns the names and hashes of the files in a folder. */
async function hashes(folder: string): Promise<string[]> {
  return (await files(folder)).entries()
    .map(([name, content]) => `${name} ${createHash("sha256").update(content).digest("hex")}`)
    .toArray();
}

function run(permissions: readonly string[], ...args: readonly string[]) {
  const main = join(DIST, "main.js");
  return deno(["run", "--no-prompt", "--no-config", ...permissions, main, ...args], folder, false);
}

async function deno(args: readonly string[], cwd: string, mustSucceed = true) {
  const command = new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd,
    env: { NO_COLOR: "1" },
  });
  const { code, ...output } = await command.output();
  const [stdout, stderr] = [output.stdout, output.stderr].map((b) => new TextDecoder().decode(b));
  if (mustSucceed) assertEquals(code, 0, stderr);
  return { code, stdout, stderr };
}
