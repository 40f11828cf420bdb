/**
 * Lints docstrings. An export needs one if another folder uses it; its members do not. In the
 * schemas of plans, summaries and messages, where types are inferred from values and documented by
 * `.describe()`, only functions, classes and interfaces need docstrings.
 */
import { type Module, parseModule } from "./source_graph.ts";

const root = new URL("..", import.meta.url);
const SCHEMAS =
  /^src\/(plan\/(schema|kinds|values)\/|fleet\/channel.ts|engine\/summary\/(summary|flow_stats|metric_stats)\.ts)/;

const modules = sources("src").map((path): [string, Module] => [
  path,
  parseModule(path, Deno.readTextFileSync(new URL(path, root))),
]);
/** Exports that a module of another folder imports: `PATH#NAME`. */
const shared = new Set(
  modules.flatMap(([path, { uses }]) => uses.filter((use) => folderOf(use) !== folderOf(path))),
);

const { stderr } = await new Deno.Command(Deno.execPath(), {
  args: ["doc", "--lint", "main.ts", ...sources("src")],
  cwd: root,
  env: { NO_COLOR: "1" },
}).output();

const findings = new TextDecoder().decode(stderr).split(/^(?=error)/m).filter(counts);
console.error(findings.join(""));
console.log(`docs: ${findings.length} findings`);
Deno.exit(findings.length > 0 ? 1 : 0);

function counts(finding: string): boolean {
  const [, rule] = /^error\[([\w-]+)\]/.exec(finding) ?? [];
  const [, file] = /--> (\S+?):\d+:\d+/.exec(finding) ?? [];
  if (rule === undefined || file === undefined) return /^error: (?!Found \d)/.test(finding);
  if (!file.startsWith(root.pathname)) return false; // In a package.
  if (SCHEMAS.test(file.slice(root.pathname.length))) {
    return rule === "missing-jsdoc" &&
      /^\s*\d+ \| export (async )?(function|class|interface)/m.test(finding);
  }
  if (rule === "private-type-ref") {
    // `deno doc` does not see that a package exports the namespace of one of its classes.
    if (/^\s*\d+ \| export declare namespace /m.test(finding)) return false;
    return !/plan\/schema|export type output<T>|= keyof typeof [A-Z_]+;/.test(finding);
  }
  if (rule === "missing-jsdoc") {
    const [, name] =
      /^\s*\d+ \| export (?:\w+ )*?(?:function\*?|const|let|class|interface|type) (\w+)/m
        .exec(finding) ?? [];
    return shared.has(`${file.slice(root.pathname.length)}#${name}`);
  }
  return true;
}

/** Returns the folder of `src` that contains a path. */
function folderOf(path: string): string {
  return path.split("/")[1];
}

function sources(folder: string): string[] {
  return [...Deno.readDirSync(new URL(folder, root))].flatMap(({ name, isDirectory }) => {
    const path = `${folder}/${name}`;
    // AssemblyScript: its imports and types are not those of TypeScript.
    if (name === "assembly") return [];
    return isDirectory ? sources(path) : name.endsWith(".ts") ? [path] : [];
  });
}
