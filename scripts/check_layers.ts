/**
 * Checks that `src` has the structure that ARCHITECTURE.md describes. Prints each violation, and
 * exits with 1 if it finds any. The rules are:
 *
 * - A module, including its type imports, imports only from lower layers.
 * - Imports have no cycles, neither between modules nor between folders.
 * - No two files have the same name, and few small files have only one importer.
 * - Each module, except the entry modules of threads, is imported by another module.
 */
import {
  folderCycles,
  fragments,
  moduleCycles,
  type ModuleGraph,
  repeatedNames,
  unusedModules,
  upwardImports,
} from "./layer_rules.ts";

interface ModuleInfo {
  readonly specifier: string;
  readonly dependencies?: readonly Dependency[];
}
interface Dependency {
  readonly code?: { readonly specifier?: string };
  readonly type?: { readonly specifier?: string };
}

const root = new URL("..", import.meta.url).href;
const graph = buildGraph(await modules());
const violations = [
  ...upwardImports(graph),
  ...moduleCycles(graph),
  ...folderCycles(graph),
  ...repeatedNames(graph),
  ...fragments(graph),
  ...unusedModules(graph),
];
for (const violation of violations) console.error(violation);
console.log(`layers: ${graph.size} modules, ${violations.length} violations`);
Deno.exit(violations.length > 0 ? 1 : 0);

async function modules(): Promise<ModuleInfo[]> {
  const entries = ["main.ts", ...sources("src")];
  const all = new Map<string, ModuleInfo>();
  for (const entry of entries) {
    if (all.has(new URL(entry, root).href)) continue;
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["info", "--json", entry],
      cwd: new URL(root),
    }).output();
    const info: { modules: ModuleInfo[] } = JSON.parse(new TextDecoder().decode(stdout));
    for (const module of info.modules) all.set(module.specifier, module);
  }
  return [...all.values()];
}

function sources(folder: string): string[] {
  return [...Deno.readDirSync(new URL(folder, root))].flatMap(({ name, isDirectory }) => {
    const path = `${folder}/${name}`;
    // AssemblyScript: its imports and types are not those of TypeScript.
    if (name === "assembly") return [];
    return isDirectory ? sources(path) : name.endsWith(".ts") ? [path] : [];
  });
}

/**
 * Returns the import graph: each module of this project, and the modules of this project that it
 * imports. Paths are relative to the root.
 */
function buildGraph(all: readonly ModuleInfo[]): ModuleGraph {
  const isOurs = (specifier?: string): specifier is string =>
    specifier !== undefined && specifier.startsWith(root) && specifier.endsWith(".ts");
  return new Map(
    all.filter(({ specifier }) => isOurs(specifier)).map(({ specifier, dependencies = [] }) => {
      const targets = dependencies.map(({ code, type }) => code?.specifier ?? type?.specifier)
        .filter(isOurs).map((target) => target.slice(root.length));
      const lines = Deno.readTextFileSync(new URL(specifier)).split("\n").length - 1;
      return [specifier.slice(root.length), { lines, imports: [...new Set(targets)] }];
    }),
  );
}
