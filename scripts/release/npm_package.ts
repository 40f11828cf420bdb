/**
 * Writes the npm package of a release: the files that `deno task build` wrote to `dist/`, and a
 * command that runs them with the executable of the npm package `deno`.
 *
 *     deno run --frozen -P=scripts scripts/release/npm_package.ts [FOLDER]
 *
 * Replaces FOLDER (default: `release/npm`). `npm publish FOLDER` publishes the package.
 */
import { permissionsOf } from "../../src/cli/command/command.ts";
import { loadCommands } from "../../src/cli/cli.ts";
import { BINARY_FLAGS } from "../binary.ts";
import config from "../../deno.json" with { type: "json" };

const ROOT = new URL("../..", import.meta.url).pathname;
const [folder = `${ROOT}release/npm`] = Deno.args;

const commands = await loadCommands();
const allowed = [...new Set(commands.flatMap(permissionsOf))].map((name) => `--allow-${name}`);
const manifest = {
  name: config.name,
  version: config.version,
  description: "Turn recorded traffic into a load test, and run it",
  license: config.license,
  repository: { type: "git", url: `git+${config.repository}.git` },
  type: "module",
  bin: { rehearse: "rehearse.cjs" },
  engines: { node: ">=18" },
  dependencies: { deno: Deno.version.deno },
  publishConfig: { access: "public" },
  deno: { flags: ["--no-config", "--no-lock", "--no-prompt", ...BINARY_FLAGS, ...allowed] },
};

await Deno.remove(folder, { recursive: true }).catch(() => {});
await Deno.mkdir(folder, { recursive: true });
for (const { name } of Deno.readDirSync(`${ROOT}dist`)) await copy(`dist/${name}`, name);
for (const name of ["LICENSE", "README.md"]) await copy(name, name);
await copy("scripts/release/npm_wrapper.cjs", "rehearse.cjs");
await Deno.chmod(`${folder}/rehearse.cjs`, 0o755);
await Deno.writeTextFile(`${folder}/package.json`, JSON.stringify(manifest, null, 2) + "\n");
console.log(`${folder}: ${config.name} ${config.version}`);

async function copy(from: string, to: string): Promise<void> {
  await Deno.copyFile(ROOT + from, `${folder}/${to}`);
}
