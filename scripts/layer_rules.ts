/** A module of the project. */
export interface Module {
  /** Number of lines in the module. */
  readonly lines: number;
  /** Paths of the modules that this module imports, including imports of types. */
  readonly imports: readonly string[];
}

/** Modules, keyed by path relative to the root of the project, such as `src/base/errors.ts`. */
export type ModuleGraph = ReadonlyMap<string, Module>;

/** Layer of each folder in `src`; see ARCHITECTURE.md. */
const LAYERS: Readonly<Record<string, number>> = {
  base: 0,
  plan: 1,
  storage: 1,
  extract: 2,
  http: 2,
  traffic: 3,
  convert: 4,
  engine: 4,
  verify: 5,
  report: 5,
  demo: 5,
  fleet: 5,
  export: 5,
  cli: 6,
};

/**
 * Modules that implement one variant of a family, such as one kind of step. A variant may consist
 * of two modules with the same name in different layers. Only the registry of the family imports
 * them.
 */
const VARIANTS = /\/(?:kinds\/\w+|formats|sources|commands|routes)\/[^/]+$|^src\/extract\//;

/** Modules that must be separate files, however small. */
const SEPARATE: ReadonlySet<string> = new Set([
  "src/engine/workers/on_fault.ts", // uses the types of a worker's global scope
  "src/report/html/uplot_asset.ts", // is generated
  "src/traffic/accesslog/count/module.ts", // is generated
]);

/** Modules that worker threads load by URL. */
const WORKER_ENTRIES: ReadonlySet<string> = new Set([
  "src/engine/clock/alarm_worker.ts",
  "src/engine/workers/shard_worker.ts",
]);

/** Modules that `scripts/bundles.ts` bundles; programs load the bundle instead. */
const BUNDLE_SOURCES = /^src\/base\/libraries\/\w+_parts\.ts$/;

/** Maximum number of lines of a small module. */
const SMALL_LINES = 40;
/** Maximum number of small modules that only one module imports. */
const SMALL_MODULES = 40;

/**
 * Returns a message for each import of a module that is neither in a lower layer nor in the same
 * folder of `src`.
 */
export function upwardImports(graph: ModuleGraph): string[] {
  return [...graph].flatMap(([from, { imports }]) =>
    imports.flatMap((to) => {
      const [a, b] = [layerOf(from), layerOf(to)];
      if (a === undefined || a === b) return [];
      if (b !== undefined && LAYERS[b] < LAYERS[a]) return [];
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
 * Returns a message for each file name that more than one module in `src` has. The implementation
 * of a plan element, such as a step, may have the same name as its definition in another layer.
 */
export function repeatedNames(graph: ModuleGraph): string[] {
  const paths = [...graph.keys()].filter((path) => path.startsWith("src/"));
  const name = (path: string) => path.slice(path.lastIndexOf("/") + 1);
  const groups = [
    ...Map.groupBy(paths, (path) => `${layerOf(path)} ${name(path)}`).values(),
    ...Map.groupBy(paths.filter((path) => !VARIANTS.test(path)), name).values(),
  ].filter((same) => same.length > 1);
  return [
    ...new Set(
      groups.map((same) =>
        `file name ${name(same[0])} occurs ${same.length} times: ${same.join(", ")}`
      ),
    ),
  ];
}

/**
 * Returns a message for each module in `src` that no module imports, such as a variant that is not
 * registered. Omits modules that worker threads load by URL, and modules that are loaded only as
 * part of a bundle.
 */
export function unusedModules(graph: ModuleGraph): string[] {
  const imported = new Set([...graph.values()].flatMap(({ imports }) => imports));
  return [...graph.keys()].filter((path) =>
    path.startsWith("src/") && !imported.has(path) && !WORKER_ENTRIES.has(path) &&
    !BUNDLE_SOURCES.test(path)
  ).map((path) => `${path}: no module imports it`);
}

/**
 * Returns a message for each small module that only one module imports and that could be merged
 * into that module. Returns an empty list if there are at most 40 such modules. Variants, generated
 * files and worker entries do not count.
 */
export function fragments(graph: ModuleGraph): string[] {
  const importers = new Map<string, string[]>();
  for (const [from, { imports }] of graph) {
    for (const to of imports) importers.set(to, [...importers.get(to) ?? [], from]);
  }
  const found = [...graph].flatMap(([path, { lines }]) => {
    const by = importers.get(path) ?? [];
    const isSmall = path.startsWith("src/") && lines <= SMALL_LINES && by.length === 1;
    return isSmall && !VARIANTS.test(path) && !SEPARATE.has(path)
      ? [`${path} has ${lines} lines and only ${by[0]} imports it`]
      : [];
  });
  return found.length > SMALL_MODULES ? found : [];
}

/** Returns the folder of `src` that contains a module, or undefined for modules outside `src`. */
function layerOf(path: string): string | undefined {
  return /^src\/([^/]+)\//.exec(path)?.[1];
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
