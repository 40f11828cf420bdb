/**
 * Builds the files of a release from `main.ts`: a JavaScript file for each command and for each
 * part that commands share, their source maps, and the licenses of the packages in them. The files
 * also contain the text of each thread, so that a thread needs no permission to load its modules.
 *
 *     deno task build [--release] [FOLDER]
 *
 * Replaces FOLDER (default: `dist`). The same commit always gives the same bytes.
 *
 * --release  the files of this version will exist at their URLs, so that plans may refer to them
 */
import remapping from "@jridgewell/remapping";
import { parseArgs } from "@std/cli/parse-args";
import { join } from "@std/path";
import config from "../deno.json" with { type: "json" };
import { mergeChunks } from "./merge_chunks.ts";

const ROOT = new URL("..", import.meta.url).pathname;
/** URL of the entry module of a thread, in the source and in a bundle. */
const THREAD = /new URL\(\s*"\.\/(\w+)\.ts",\s*import\.meta\.url,?\s*\)/g;
/**
 * What the bundler adds for packages that call `require`. It loads all of Deno's support for Node,
 * which takes 15 ms, and it does not work in a thread.
 */
const REQUIRE =
  /import\{createRequire as (\w+)\} from "node:module";var (\w+)=\1\(import\.meta\.url\);/;
/** Maximum number of bundled files, without those for threads. */
const MOST_FILES = 40;
/** Hash in the name of a bundled file. */
const HASH = /-([A-Z0-9]{8})(?=\.js)/g;
const SOURCE_MAP = /\n\/\/# sourceMappingURL=.*\n*$/;
/** Path of a module in Deno's npm cache: folder, name and version of its package, and the rest. */
const CACHED = /^(.*\/npm\/[^/]+\/((?:@[^/]+\/)?[^/]+)\/([^/]+))\/(.*)$/;

/** Contents of files, keyed by name. */
type Files = Map<string, string>;

const { release, _: [folder = join(ROOT, "dist")] } = parseArgs(Deno.args, {
  boolean: ["release"],
});
const temporary = await Deno.makeTempDir();
/** Folders of the bundled packages, keyed by `NAME@VERSION`. */
const packages = new Map<string, string>();
const imports = new Map(Object.entries(config.imports));
try {
  await deno("cache", "--frozen", "main.ts");
  await configure();
  const split = await rename(await bundle(["main.ts"], "--code-splitting"));
  mergeChunks(split, MOST_FILES);
  const files = await bundleAgain(split);
  const threads = await bundle(findThreads(join(ROOT, "src")));
  await Deno.remove(folder, { recursive: true }).catch(() => {});
  await Deno.mkdir(folder, { recursive: true });
  for (const [name, text] of await rename(useTexts(files, threads))) {
    await Deno.writeTextFile(`${folder}/${name}`, text);
  }
  await Deno.writeTextFile(`${folder}/THIRD-PARTY.md`, await licenses());
} finally {
  await Deno.remove(temporary, { recursive: true });
}

/** Replaces `deno.json`, for `src/base/release.ts`. */
async function configure(): Promise<void> {
  const { version, repository } = config;
  const facts = { version, repository, ...(release && { isRelease: true }) };
  await Deno.writeTextFile(`${temporary}/deno.json`, JSON.stringify(facts));
  imports.set(`file://${ROOT}deno.json`, `file://${temporary}/deno.json`);
}

/** Bundles bundled files again. */
async function bundleAgain(files: Files): Promise<Files> {
  const folder = await Deno.makeTempDir({ dir: temporary });
  const maps: Files = new Map();
  for (const [name, text] of files) {
    if (!name.endsWith(".js")) continue;
    // Deno formats a `.js` file before it bundles it, so that its source map is wrong. The bundler
    // adds new hashes to the names of commands.
    const path = name.replace(/((?<!chunk)-\w+)?\.js$/, ".jsx");
    await Deno.writeTextFile(`${folder}/${path}`, text);
    imports.set(`file://${folder}/${name}`, `file://${folder}/${path}`);
    maps.set(path, files.get(`${name}.map`)!);
  }
  const bundled = await bundle([`${folder}/main.jsx`], "--code-splitting");
  for (const [name, text] of bundled) {
    if (!name.endsWith(".map")) continue;
    bundled.set(name, remapping(text, (source) => maps.get(source) ?? null, true) + "\n");
  }
  return bundled;
}

/** Returns the paths of the entry modules of all threads in the source. */
function findThreads(folder: string): string[] {
  return walk(folder).filter((path) => path.endsWith(".ts")).flatMap((path) => {
    const urls = Deno.readTextFileSync(path).matchAll(THREAD);
    return Array.from(urls, ([, name]) => join(path, "..", `${name}.ts`));
  });
}

function walk(folder: string): string[] {
  return Array.from(Deno.readDirSync(folder)).flatMap(({ name, isDirectory }) =>
    isDirectory ? walk(join(folder, name)) : join(folder, name)
  );
}

/** Bundles modules. Returns the files without paths of this machine. */
async function bundle(entries: readonly string[], ...options: string[]): Promise<Files> {
  const out = await Deno.makeTempDir({ dir: temporary });
  const path = `${temporary}/imports.json`;
  await Deno.writeTextFile(path, JSON.stringify({ imports: Object.fromEntries(imports) }));
  const map = `--import-map=${path}`;
  const all = ["--platform=deno", "--minify", "--sourcemap=linked", map, ...options];
  await deno("bundle", "--quiet", "--frozen", "--outdir", out, ...all, ...entries);
  return new Map(
    walk(out).map((path) => {
      const text = Deno.readTextFileSync(path).replace(REQUIRE, (code, _, name) => {
        return `var ${name}=(id)=>process.getBuiltinModule(id);`.padEnd(code.length);
      });
      return [path.replace(/.*\//, ""), path.endsWith(".map") ? withoutPaths(text, path) : text];
    }),
  );
}

async function deno(...args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), { args, cwd: ROOT }).output();
  if (!success) throw new Error(`deno ${args[0]} failed: ${new TextDecoder().decode(stderr)}`);
}

/**
 * Returns a source map without the text of the sources, and without the paths of this machine in
 * their names. Adds the packages that the sources belong to to `packages`.
 */
function withoutPaths(map: string, path: string): string {
  const { sourcesContent: _, sources, ...rest } = JSON.parse(map);
  const inTemporary = new RegExp(`^${temporary}/(?:[^/]+/)?`);
  const names = sources.map((source: string) => {
    const module = join(path, "..", source);
    const [, folder, name, version, file] = CACHED.exec(module) ?? [];
    if (folder === undefined) return module.replace(ROOT, "").replace(inTemporary, "");
    packages.set(`${name}@${version}`, folder);
    return `npm:${name}@${version}/${file}`;
  });
  return JSON.stringify({ ...rest, sources: names }) + "\n";
}

/**
 * Replaces the URL of each thread in `files` by the text of the thread, which becomes a file. All
 * columns stay the same, because of the source maps.
 */
function useTexts(files: Files, threads: Files): Files {
  const replace = (text: string, use: (thread: string) => void) =>
    text.replace(THREAD, (url, thread) => {
      use(thread);
      return `${thread}_text`.padEnd(url.length);
    });
  const textOf = (thread: string): string => {
    const texts = new Set<string>();
    const text = replace(threads.get(`${thread}.js`)!, (other) => {
      texts.add(`const ${other}_text=${JSON.stringify(textOf(other))};\n`);
    });
    return [...texts, text.replace(SOURCE_MAP, "\n")].join("");
  };
  const changed: Files = new Map();
  for (const [name, text] of files) {
    const imports = new Set<string>();
    const body = replace(text, (thread) => {
      changed.set(`${thread}.js`, `export default ${JSON.stringify(textOf(thread))};\n`);
      imports.add(`\nimport ${thread}_text from "./${thread}.js";`);
    });
    changed.set(name, body.replace(SOURCE_MAP, (comment) => [...imports, comment].join("")));
  }
  return changed;
}

/**
 * Replaces the hashes in the names of files, which depend on paths of this machine, by hashes of
 * their contents. Sorts the files.
 */
async function rename(files: Files): Promise<Files> {
  const hashes = new Map<string, string>();
  for (const [name, text] of files) {
    const [[, hash] = []] = name.endsWith(".js") ? name.matchAll(HASH) : [];
    if (hash === undefined) continue;
    const content = (name + text).replaceAll(HASH, "") + files.get(`${name}.map`);
    const bytes = new TextEncoder().encode(content);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
    hashes.set(hash, digest.slice(0, hash.length));
  }
  if (new Set(hashes.values()).size < hashes.size) throw new Error("two files have the same hash");
  const renamed = (text: string) =>
    text.replaceAll(HASH, (part, hash) => part.replace(hash, hashes.get(hash) ?? hash));
  return new Map(
    Array.from(files, ([name, text]): [string, string] => [renamed(name), renamed(text)]).sort(),
  );
}

/** Formats the licenses of the bundled packages. */
async function licenses(): Promise<string> {
  const sections = [...packages].sort().map(async ([id, folder]) => {
    const { license } = JSON.parse(await Deno.readTextFile(`${folder}/package.json`));
    const file = walk(folder).sort().find((path) =>
      /^.licen[cs]e/i.test(path.slice(folder.length))
    );
    const text = file && (await Deno.readTextFile(file)).trim();
    return `## ${id}\n\n${license}\n${text ? `\n\`\`\`text\n${text}\n\`\`\`\n` : ""}`;
  });
  const intro = "# Third-party software\n\nrehearse contains these npm packages.\n";
  return [intro, ...await Promise.all(sections)].join("\n");
}
