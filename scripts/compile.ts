/**
 * Makes one self-contained executable per platform in `dist/`, each with its SHA-256.
 *
 *     deno task compile                  this platform
 *     deno task compile --all            every platform
 *     deno task compile TARGET …         those platforms
 *
 * `deno compile` needs Deno's base executable (denort) of the target and fetches it; where that
 * cannot be done, give its path in DENORT_BIN.
 */
import { readArgs } from "../src/cli/args.ts";
import config from "../deno.json" with { type: "json" };

const TARGETS = [
  "x86_64-unknown-linux-gnu",
  "aarch64-unknown-linux-gnu",
  "x86_64-apple-darwin",
  "aarch64-apple-darwin",
  "x86_64-pc-windows-msvc",
];

// Workers are started by address, so the module graph of main.ts does not name them.
const WORKERS = [
  "src/traffic/accesslog/worker.ts",
  "src/engine/alarm_worker.ts",
  "src/engine/workers/shard_worker.ts",
];

const root = new URL("..", import.meta.url);
const args = readArgs(Deno.args, [{ name: "all", help: "Every platform" }]);
const wanted = args.has("all")
  ? TARGETS
  : args.positionals.length > 0
  ? args.positionals
  : [Deno.build.target];
const unknown = wanted.find((target) => !TARGETS.includes(target));
if (unknown !== undefined) {
  console.error(`cannot compile for ${unknown}: expected one of ${TARGETS.join(", ")}`);
  Deno.exit(2);
}

Deno.mkdirSync(new URL("dist/", root), { recursive: true });
for (const target of wanted) await compile(target);

async function compile(target: string): Promise<void> {
  const suffix = target.includes("windows") ? ".exe" : "";
  const name = `rehearse-${config.version}-${target}${suffix}`;
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: [
      "compile",
      "--frozen",
      "--no-prompt",
      "--allow-read",
      "--allow-write",
      "--allow-net",
      "--allow-env",
      // Plans hold patterns: one that backtracks without end goes on in V8's linear-time engine.
      "--v8-flags=--enable-experimental-regexp-engine-on-excessive-backtracks",
      ...WORKERS.flatMap((worker) => ["--include", worker]),
      "--target",
      target,
      "--output",
      `dist/${name}`,
      "main.ts",
    ],
    cwd: root,
    stdout: "inherit",
    stderr: "inherit",
  }).spawn().status;
  if (!success) {
    console.error(
      `cannot compile ${name}: deno compile failed (above). If it could not fetch the base ` +
        `executable (denort) of Deno ${Deno.version.deno} for ${target}, get it from Deno's ` +
        "release of that version and give its path in DENORT_BIN.",
    );
    Deno.exit(1);
  }
  const bytes = Deno.readFileSync(new URL(`dist/${name}`, root));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  Deno.writeTextFileSync(new URL(`dist/${name}.sha256`, root), `${digest.toHex()}  ${name}\n`);
  console.log(`dist/${name}  ${(bytes.length / 1e6).toFixed(1)} MB`);
}
