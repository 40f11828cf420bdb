/**
 * Generates the `*_bundle.js` files in `src/base/libraries`: the parts of npm packages that small
 * commands load, each in one file. Deno needs about 0.1 ms per module, and cannot use its code
 * cache for the entry module of a package. With --check, writes nothing and exits with 1 if a file
 * does not match the pinned packages.
 */
import { createRequire } from "node:module";
import { dirname, join } from "@std/path";

const FOLDER = "src/base/libraries";

/**
 * A module of each bundle's package, by the name of the bundle. `NAME_parts.ts` exports what the
 * bundle contains.
 */
const BUNDLES: Readonly<Record<string, string>> = {
  args: "deno-std/cli/parse_args.js",
  csv: "deno-std/csv/parse.js",
  path: "deno-std/path/posix/join.js",
  yaml: "deno-std/yaml/parse.js",
  zod: "zod",
};

/** Start of the comment with which `deno bundle` names a source file: the path of its cache. */
const CACHE_PATH = /^\/\/ \S*\/npm\/[^/\s]+\//gm;

const root = new URL("..", import.meta.url);
const isCheck = Deno.args.includes("--check");
for (const [name, module] of Object.entries(BUNDLES)) {
  const path = `${FOLDER}/${name}_bundle.js`;
  const text = `${header(name, module)}${await bundle(`${FOLDER}/${name}_parts.ts`)}`;
  if (readOrNothing(new URL(path, root)) === text) continue;
  if (isCheck) {
    console.error(`${path}: out of date, run \`deno run -P=scripts scripts/bundles.ts\``);
    Deno.exitCode = 1;
  } else {
    Deno.writeTextFileSync(new URL(path, root), text);
    console.log(`${path}: written`);
  }
}

/**
 * Returns the first lines of a bundle. The first one makes V8 compile all functions at once and
 * keep them in Deno's code cache (zod: 8 ms less per command).
 */
function header(name: string, module: string): string {
  const path = createRequire(import.meta.url).resolve(module);
  let folder = dirname(path);
  while (!isPackage(folder)) folder = dirname(folder);
  const manifest = JSON.parse(Deno.readTextFileSync(join(folder, "package.json")));
  // The files of `deno-std` state their license in their first line.
  const license = readOrNothing(join(folder, "LICENSE"))?.trim() ??
    Deno.readTextFileSync(path).split("\n")[0].replace(/^\/\/ /, "");
  return `//# allFunctionsCalledOnLoad
/* @ts-self-types="./${name}_parts.ts" */
// deno-fmt-ignore-file
// deno-lint-ignore-file
// Made by scripts/bundles.ts from the npm package ${manifest.name}@${manifest.version}:
/*
${license.split("\n").map((line) => ` * ${line}`.trimEnd()).join("\n")}
 */
`;
}

/** Reports whether a folder contains a package, and not only a part of one. */
function isPackage(folder: string): boolean {
  const manifest = readOrNothing(join(folder, "package.json"));
  return manifest !== undefined && Object.hasOwn(JSON.parse(manifest), "version");
}

async function bundle(entry: string): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--frozen", "--quiet", entry],
    cwd: root,
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout).replaceAll(CACHE_PATH, "// ");
}

function readOrNothing(path: string | URL): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return undefined;
  }
}
