/**
 * Checks the layers of ARCHITECTURE.md: a module, including its type imports, may import only from
 * lower layers, imports have no cycles, and no entry loads what takes too long for it. Prints each violation and exits with 1 if there is one.
 *
 * Also checks the shape of the folders, but only prints the number of violations, or the violations
 * themselves with `--shape`, which makes them errors.
 */
import {
  folderCycles,
  fragments,
  heavyLoads,
  moduleCycles,
  type ModuleGraph,
  repeatedNames,
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
const layers = [...upwardImports(graph), ...moduleCycles(graph), ...heavyLoads(graph)];
const shape = [...folderCycles(graph), ...repeatedNames(graph), ...fragments(graph)];
const violations = Deno.args.includes("--shape") ? [...layers, ...shape] : layers;
for (const violation of violations) console.error(violation);
console.log(
  `layers: ${graph.size} modules, ${layers.length} violations; shape: ${shape.length} violations`,
);
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

/** Returns the modules of this project and their imports from it, as paths from the root. */
function buildGraph(all: readonly ModuleInfo[]): ModuleGraph {
  const isOurs = (specifier?: string): specifier is string =>
    specifier !== undefined && specifier.startsWith(root) && specifier.endsWith(".ts");
  return new Map(
    all.filter(({ specifier }) => isOurs(specifier)).map(({ specifier, dependencies = [] }) => {
      const targets = dependencies.map(({ code, type }) => code?.specifier ?? type?.specifier)
        .filter(isOurs).map((target) => target.slice(root.length));
      const loads = dependencies.flatMap(({ code }) => code?.specifier ?? [])
        .map((target) => isOurs(target) ? target.slice(root.length) : target);
      const lines = Deno.readTextFileSync(new URL(specifier)).split("\n").length - 1;
      return [specifier.slice(root.length), { lines, imports: [...new Set(targets)], loads }];
    }),
  );
}
