import { LAYERS } from "./budgets.ts";
import { isTypeScript, type ModuleGraph } from "./source_graph.ts";

/**
 * Returns a message for each import of a module that is neither in a lower layer nor in the same
 * folder of `src`.
 */
export function upwardImports(graph: ModuleGraph): string[] {
  return [...graph].flatMap(([from, { imports }]) =>
    imports.flatMap((to) => {
      const [a, b] = [layerOf(from), layerOf(to)];
      if (a === undefined || a === b || (b !== undefined && levelOf(b) < levelOf(a))) return [];
      return [`${from} imports ${to}: ${a} may import only from lower layers`];
    })
  );
}

/** Returns a message for each group of modules that import each other. */
export function moduleCycles(graph: ModuleGraph): string[] {
  return cycles(new Map([...graph].map(([path, { imports }]) => [path, new Set(imports)])))
    .map((path) => `cycle: ${path.join(" → ")}`);
}

/**
 * Returns a message for each group of folders that import each other. A folder and its subfolders
 * count as separate folders.
 */
export function folderCycles(graph: ModuleGraph): string[] {
  const folders = new Map<string, Set<string>>();
  const example = new Map<string, string>();
  for (const [from, { imports }] of graph) {
    for (const to of imports) {
      const [a, b] = [folderOf(from), folderOf(to)];
      if (a === b) continue;
      const targets = folders.get(a) ?? new Set();
      folders.set(a, targets.add(b));
      example.set(`${a} ${b}`, `${from} imports ${to}`);
    }
  }
  return cycles(folders).map((path) => {
    const imports = path.slice(1).map((to, i) => example.get(`${path[i]} ${to}`));
    return `folder cycle: ${path.join(" → ")} (${imports.join("; ")})`;
  });
}

/**
 * Returns a message for each file name that several files of a layer have. Files of the same name
 * in two layers are parts of one family, such as the schema and the implementation of steps.
 */
export function repeatedNames(graph: ModuleGraph): string[] {
  const name = (path: string) => path.slice(path.lastIndexOf("/") + 1);
  const files = [...graph.keys()].filter((path) => path.startsWith("src/") && isTypeScript(path));
  return [...Map.groupBy(files, (path) => `${layerOf(path)} ${name(path)}`).values()]
    .filter((same) => same.length > 1).map((same) =>
      `file name ${name(same[0])} occurs ${same.length} times: ${same.join(", ")}`
    );
}

/**
 * Returns a message for each module in `src` that no module imports, such as a variant that is not
 * registered.
 */
export function unusedModules(graph: ModuleGraph): string[] {
  const imported = new Set([...graph.values()].flatMap(({ imports }) => imports));
  return [...graph.keys()]
    .filter((path) => path.startsWith("src/") && isTypeScript(path) && !imported.has(path))
    .map((path) => `${path}: no module imports it`);
}

/** Matches the folders in `tests` that mirror no folder of `src`. */
const OTHER_TESTS = /^tests\/(?:builders|groups|oracles|scripts|slow|support)(?:\/|$)/;

/** Returns a message for each folder of `testFiles` whose folder in `src` contains no module. */
export function staleTestFolders(graph: ModuleGraph, testFiles: readonly string[]): string[] {
  const sources = [...graph.keys()];
  return [...new Set(testFiles.map(folderOf))]
    .filter((folder) => folder !== "tests" && !OTHER_TESTS.test(folder))
    .map((folder) => [folder, folder.replace(/^tests/, "src")])
    .filter(([, source]) => !sources.some((path) => path.startsWith(`${source}/`)))
    .map(([folder, source]) => `${folder}: the folder ${source} does not exist`);
}

/** Returns a message for each file of a folder that its README does not name in back-ticks. */
export function undescribedFiles(readme: string, files: readonly string[]): string[] {
  return files.filter((path) => !readme.includes(`\`${path.slice(path.lastIndexOf("/") + 1)}\``))
    .map((path) => `${path}: ${folderOf(path)}/README.md does not name it`);
}

/** Returns the folder of `src` that contains a module, or undefined for modules outside `src`. */
function layerOf(path: string): string | undefined {
  return /^src\/([^/]+)\//.exec(path)?.[1];
}

/** Returns the number of a layer from the bottom; NaN for a folder that has no layer. */
function levelOf(layer: string): number {
  const level = LAYERS.findIndex((folders) =>
    Object.keys(folders).some((folder) => folder.split("/")[0] === layer)
  );
  return level < 0 ? NaN : level;
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/**
 * Returns cycles in the graph: at least one for each group of nodes that can reach each other. Each
 * cycle ends with its first node.
 */
function cycles(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const found: string[][] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (node: string) => {
    if (path.includes(node)) {
      found.push([...path.slice(path.indexOf(node)), node]);
      return;
    }
    if (done.has(node)) return;
    path.push(node);
    for (const next of graph.get(node) ?? []) visit(next);
    path.pop();
    done.add(node);
  };
  for (const node of graph.keys()) visit(node);
  return found;
}
