/**
 * Generates the `*_bundle.js` files in `src/base/libraries`: the parts of npm packages that small
 * commands load, each in one file. Deno needs about 0.1 ms per module, and cannot use its code
 * cache for the entry module of a package. With --check, writes nothing and exits with 1 if a file
 * does not match the pinned packages.
 */

const FOLDER = "src/base/libraries";

/** Names of the bundles. `NAME_parts.ts` exports what the bundle `NAME_bundle.js` contains. */
const BUNDLES = [
  "args",
  "cookies",
  "csv",
  "html",
  "isbot",
  "jsonpath",
  "path",
  "width",
  "xpath",
  "yaml",
  "zod",
];

/**
 * Matches the comment that `deno bundle` writes before a source file. The comment contains the path
 * of the file in the npm cache.
 */
const SOURCE_FILE =
  /^\/\/ (?<cache>\S*\/npm\/[^/\s]+\/)(?<id>(?<name>(?:@[^/\s]+\/)?[^/\s]+)\/(?<version>[^/\s]+))\/(?<file>\S+)/gm;

/**
 * Matches the path of the npm cache in comments of `deno bundle` and in names of CommonJS modules.
 */
const CACHE = /(^\/\/ |")\S*\/npm\/[^/\s]+\//gm;

const root = new URL("..", import.meta.url);
const isCheck = Deno.args.includes("--check");
for (const name of BUNDLES) {
  const path = `${FOLDER}/${name}_bundle.js`;
  const text = await bundle(name);
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
 * Returns the text of a bundle. Its first line makes V8 compile all functions at once and keep them
 * in Deno's code cache (zod: 8 ms less per command).
 */
async function bundle(name: string): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--frozen", "--quiet", `${FOLDER}/${name}_parts.ts`],
    cwd: root,
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  const code = new TextDecoder().decode(stdout);
  return `//# allFunctionsCalledOnLoad
/* @ts-self-types="./${name}_parts.ts" */
// deno-fmt-ignore-file
// deno-lint-ignore-file
// Made by scripts/bundles.ts from these npm packages:
/*
${licenses(code).split("\n").map((line) => ` * ${line}`.trimEnd()).join("\n")}
 */
${code.replaceAll(CACHE, "$1")}`;
}

/** Returns the name, the version and the license text of each package in the code of a bundle. */
function licenses(code: string): string {
  const packages = new Map<string, string>();
  for (const { groups } of code.matchAll(SOURCE_FILE)) {
    const { cache, id, name, version, file } = groups!;
    const folder = new URL(`${cache}${id}/`, root);
    const license = [...Deno.readDirSync(folder)].find((entry) => /^licen[cs]e/i.test(entry.name));
    // The files of `deno-std` state their license in their first line.
    const text = license === undefined
      ? Deno.readTextFileSync(new URL(file, folder)).split("\n")[0].replace(/^\/\/ /, "")
      : Deno.readTextFileSync(new URL(license.name, folder)).trim();
    if (!packages.has(id)) packages.set(id, `${name}@${version}\n\n${text}`);
  }
  return [...packages.keys()].sort().map((id) => packages.get(id)).join("\n\n")
    .replaceAll("\r", "").replaceAll("*/", "* /");
}

function readOrNothing(path: URL): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return undefined;
  }
}
