/** A module of the project. */
export interface Module {
  /** Number of lines that are neither blank, nor a comment, nor part of an import. */
  readonly lines: number;
  /** Number of lines that contain only a comment. */
  readonly comments: number;
  /** Paths of the modules that this module imports, also as types or when it runs. */
  readonly imports: readonly string[];
  /** Paths of the modules that this module imports when it runs, or starts as a worker. */
  readonly loads: readonly string[];
  /** Exports of others that this module imports by name: `PATH#NAME`, or `PATH#*` for all. */
  readonly uses: readonly string[];
  readonly exports: readonly string[];
}

/** Modules, keyed by path relative to the root of the project, such as `src/base/errors.ts`. */
export type ModuleGraph = ReadonlyMap<string, Module>;

// The code is formatted, so that an import or export starts a line.
const IMPORT = /^import\s+(?:type\s+)?([^;"]*?)\s*from\s+"(\.[^"]+\.ts)"/gm;
const LOAD = /\b(?:import|new URL)\(\s*"(\.[^"]+\.ts)"/g;
const EXPORT =
  /^export\s+(?:abstract\s+|async\s+)?(?:function\*?|const|let|class|interface|type|enum)\s+(\w+)/gm;

/**
 * Parses a source file. `path` is relative to the root of the project. The result for files other
 * than TypeScript, and for AssemblyScript, contains only numbers of lines.
 */
export function parseModule(path: string, text: string): Module {
  const counts = countLines(text);
  if (!isTypeScript(path)) return { ...counts, imports: [], loads: [], uses: [], exports: [] };
  const target = (specifier: string) => new URL(specifier, `file:///${path}`).pathname.slice(1);
  const imports = Array.from(text.matchAll(IMPORT), ([, names, to]) => [target(to), names]);
  const loads = Array.from(text.matchAll(LOAD), ([, to]) => target(to));
  return {
    ...counts,
    imports: [...new Set([...imports.map(([to]) => to), ...loads])],
    loads,
    uses: [
      ...new Set(imports.flatMap(([to, names]) => importedNames(names).map((n) => `${to}#${n}`))),
    ],
    exports: [...new Set(Array.from(text.matchAll(EXPORT), ([, name]) => name))],
  };
}

/** Reports whether a file is TypeScript that Deno runs, which AssemblyScript is not. */
export function isTypeScript(path: string): boolean {
  return path.endsWith(".ts") && !path.includes("/assembly/");
}

/** Returns the names in an import clause, such as `{ a, type B as C }`; `*` for a namespace. */
function importedNames(clause: string): string[] {
  return clause.replace(/[{}]/g, "").split(",")
    .map((name) => name.trim().replace(/^type /, "").split(" as ")[0])
    .filter((name) => name !== "");
}

function countLines(text: string): { lines: number; comments: number } {
  const counts = { lines: 0, comments: 0 };
  let inside: "comment" | "import" | undefined;
  for (const line of text.split("\n").map((line) => line.trim())) {
    if (line.startsWith("/*")) inside ??= "comment";
    if (/^import\b(?!\()/.test(line)) inside ??= "import";
    if (inside === "comment" || line.startsWith("//")) counts.comments++;
    else if (inside === undefined && line !== "") counts.lines++;
    if (inside === "comment" ? line.includes("*/") : line.endsWith(";")) inside = undefined;
  }
  return counts;
}
