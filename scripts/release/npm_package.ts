/**
 * Writes the npm package of a release: the modules of rehearse as JavaScript, and a command that
 * runs them with the executable of the npm package `deno`. Deno does not run TypeScript in
 * `node_modules`, so the modules are bundled, together with the packages that they import.
 *
 *     deno run --frozen -P=scripts scripts/release/npm_package.ts [FOLDER]
 *
 * Replaces FOLDER (default: `dist/npm`). `npm publish FOLDER` publishes the package.
 */
import { permissionsOf } from "../../src/cli/command/permissions.ts";
import { loadCommands } from "../../src/cli/commands.ts";
import { BINARY_FLAGS, WORKERS } from "../binary.ts";
import config from "../../deno.json" with { type: "json" };

const ROOT = new URL("../..", import.meta.url).pathname;
const [folder = `${ROOT}dist/npm`] = Deno.args;
/** Packages that only tests and scripts import. */
const DEVELOPMENT_PACKAGES: ReadonlySet<string> = new Set(["hdr-histogram-js", "js-tokens"]);
/**
 * Matches the bundler's comment with the path of a module, which may be in this machine's cache.
 */
const MODULE_COMMENT = /^\/\/ \S+\.(?:ts|js|mjs|cjs|json)$/gm;

await Deno.remove(folder, { recursive: true }).catch(() => {});
await Deno.mkdir(folder, { recursive: true });
await deno("bundle", "--quiet", "--frozen", "--platform=deno", "--code-splitting", "--outdir")
  .with(folder, "main.ts", ...WORKERS);
const missing = new Set(WORKERS);
for await (const path of modules(folder)) await adapt(path);
if (missing.size > 0) throw new Error(`no module starts the worker ${[...missing].join(", ")}`);

const commands = await loadCommands();
const allowed = [...new Set(commands.flatMap(permissionsOf))].map((name) => `--allow-${name}`);
const manifest = {
  name: config.name,
  version: config.version,
  description: "Turn recorded traffic into a load test, and run it",
  license: config.license,
  repository: { type: "git", url: `git+${config.repository}.git` },
  bin: { rehearse: "rehearse.cjs" },
  engines: { node: ">=18" },
  dependencies: { deno: Deno.version.deno },
  publishConfig: { access: "public" },
  deno: { flags: ["--no-config", "--no-lock", "--no-prompt", ...BINARY_FLAGS, ...allowed] },
};
await Deno.writeTextFile(`${folder}/package.json`, JSON.stringify(manifest, null, 2) + "\n");
await Deno.copyFile(`${ROOT}scripts/release/npm_wrapper.cjs`, `${folder}/rehearse.cjs`);
await Deno.chmod(`${folder}/rehearse.cjs`, 0o755);
for (const name of ["LICENSE", "README.md"]) await Deno.copyFile(ROOT + name, `${folder}/${name}`);
await Deno.writeTextFile(`${folder}/THIRD-PARTY-LICENSES`, await licenses());
console.log(`${folder}: ${config.name} ${config.version}`);

/**
 * Edits the bundled module at `path`: makes the URLs of workers point to their bundled modules, and
 * removes comments with local paths.
 */
async function adapt(path: string): Promise<void> {
  let text = await Deno.readTextFile(path);
  const above = path.slice(folder.length + 1).split("/").slice(1).map(() => "../").join("");
  for (const worker of WORKERS) {
    const [name] = /[^/]+$/.exec(worker)!;
    const url = `new URL("./${name}", import.meta.url)`;
    if (!text.includes(url)) continue;
    missing.delete(worker);
    const bundled = `${above || "./"}${worker.replace(/ts$/, "js")}`;
    text = text.replaceAll(url, `new URL("${bundled}", import.meta.url)`);
  }
  text = text.replace(MODULE_COMMENT, "");
  await Deno.writeTextFile(path, text);
}

/**
 * Returns the licenses of all packages that `deno.json` imports for use at run time, and of those
 * that they depend on.
 */
async function licenses(): Promise<string> {
  interface Package {
    readonly localPath: string;
    readonly dependencies: readonly string[];
  }
  const { npmPackages }: { npmPackages: Record<string, Package> } = JSON.parse(
    await deno("info", "--json").with("main.ts"),
  );
  const imported = Object.values(config.imports)
    .flatMap((specifier) => /^npm:(@?[^@]+)@([^/]+)/.exec(specifier)?.slice(1).join("@") ?? [])
    .filter((id) => !DEVELOPMENT_PACKAGES.has(id.replace(/(.)@.*/, "$1")));
  const all = new Set(imported);
  for (const id of all) for (const dependency of npmPackages[id].dependencies) all.add(dependency);
  const texts = await Promise.all(
    [...all].sort().map(async (id) => {
      const at = npmPackages[id].localPath;
      const names = Array.from(Deno.readDirSync(at), ({ name }) => name);
      const file = names.find((name) => /^licen[cs]e/i.test(name));
      const { license } = JSON.parse(await Deno.readTextFile(`${at}/package.json`));
      const text = file ? await Deno.readTextFile(`${at}/${file}`) : `License: ${license}\n`;
      return `${id}\n\n${text.trim()}\n`;
    }),
  );
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}

async function* modules(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* modules(`${folder}/${name}`);
    else if (name.endsWith(".js")) yield `${folder}/${name}`;
  }
}

/**
 * Returns an object whose method `with` runs Deno in the root of the project, with the arguments
 * `first` and then `rest`, and returns its output. The method throws an Error if Deno fails.
 */
function deno(...first: string[]): { with(...rest: string[]): Promise<string> } {
  return {
    async with(...rest) {
      const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: [...first, ...rest],
        cwd: ROOT,
      }).output();
      if (success) return new TextDecoder().decode(stdout);
      throw new Error(`deno ${first[0]} failed: ${new TextDecoder().decode(stderr)}`);
    },
  };
}
