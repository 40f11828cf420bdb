/**
 * Compiles the files that `deno task build` wrote to `dist/` into a self-contained executable for
 * each platform, with its SHA-256 checksum, in `release/`. Also copies their licenses there.
 *
 *     deno task compile                  this platform
 *     deno task compile --all            every platform that Deno supports
 *     deno task compile TARGET …         the given platforms
 *
 * `deno compile` downloads Deno's base executable (denort) for the target. Without network access,
 * set DENORT_BIN to its path. Targets with the C library musl always need DENORT_BIN, because Deno
 * does not publish a base executable for them:
 *
 *     DENORT_BIN=./denort deno task compile x86_64-unknown-linux-musl
 */
import config from "../deno.json" with { type: "json" };
import { readArgs } from "../src/cli/command/args.ts";
import { permissionsOf } from "../src/cli/command/command.ts";
import { loadCommands } from "../src/cli/cli.ts";
import { BINARY_FLAGS, binaryName, compileTarget, MUSL_TARGETS, TARGETS } from "./binary.ts";

const root = new URL("..", import.meta.url);
const args = readArgs(Deno.args, [{ name: "all", help: "Every platform" }]);
const wanted = args.has("all")
  ? TARGETS
  : args.positionals.length > 0
  ? args.positionals
  : [Deno.build.target];
const known = [...TARGETS, ...MUSL_TARGETS];
const unknown = wanted.find((target) => !known.includes(target));
if (unknown !== undefined) {
  console.error(`cannot compile for ${unknown}: expected one of ${known.join(", ")}`);
  Deno.exit(2);
}
const musl = wanted.find((target) => MUSL_TARGETS.includes(target));
if (musl !== undefined && (wanted.length > 1 || !Deno.env.get("DENORT_BIN"))) {
  console.error(
    `cannot compile for ${musl}: Deno ${Deno.version.deno} publishes no base executable for musl. ` +
      "Build `denort` for it, set DENORT_BIN to its path, and compile for this target only.",
  );
  Deno.exit(2);
}

const allowed = [...new Set((await loadCommands()).flatMap(permissionsOf))];
Deno.mkdirSync(new URL("release/", root), { recursive: true });
Deno.copyFileSync(new URL("dist/THIRD-PARTY.md", root), new URL("release/THIRD-PARTY.md", root));
for (const target of wanted) if (!await compile(target)) break;

/** Builds the executable for a target. Returns false, and sets the exit code, if this fails. */
async function compile(target: string): Promise<boolean> {
  const name = binaryName(config.version, target);
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: [
      "compile",
      "--no-config",
      "--no-lock",
      "--no-prompt",
      ...allowed.map((name) => `--allow-${name}`),
      ...BINARY_FLAGS,
      "--target",
      compileTarget(target),
      "--output",
      `release/${name}`,
      "dist/main.js",
    ],
    cwd: root,
    stdout: "inherit",
    stderr: "inherit",
  }).spawn().status;
  if (!success) {
    console.error(
      `cannot compile ${name}: \`deno compile\` failed (see above). If it could not download the base ` +
        `executable (denort) for ${target}, download it from the release of Deno ` +
        `${Deno.version.deno} and set DENORT_BIN to its path.`,
    );
    Deno.exitCode = 1;
    return false;
  }
  const bytes = Deno.readFileSync(new URL(`release/${name}`, root));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  Deno.writeTextFileSync(new URL(`release/${name}.sha256`, root), `${digest.toHex()}  ${name}\n`);
  console.log(`release/${name}  ${(bytes.length / 1e6).toFixed(1)} MB`);
  return true;
}
