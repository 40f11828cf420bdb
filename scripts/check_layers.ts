/**
 * Checks the layers of ARCHITECTURE.md: a module, including its type imports, may import only from
 * lower layers, and imports have no cycles. Load threads must not load the schema of plans, which
 * takes longer than everything else that they load. Prints each violation and exits with 1 if there
 * is one.
 */
const LAYERS: Record<string, number> = {
  base: 0,
  plan: 1,
  extract: 2,
  http: 2,
  traffic: 3,
  convert: 4,
  engine: 4,
  verify: 5,
  report: 5,
  demo: 5,
  cli: 6,
};

interface Module {
  readonly specifier: string;
  readonly dependencies?: readonly Dependency[];
}
interface Dependency {
  readonly code?: { readonly specifier?: string };
  readonly type?: { readonly specifier?: string };
}

const root = new URL("..", import.meta.url).href;
const all = await modules();
const graph = collectImports(all);
const violations = [
  ...upwardImports(graph),
  ...cycles(graph),
  ...heavyThreads(all, "src/engine/workers/shard_worker.ts"),
];
for (const violation of violations) console.error(violation);
console.log(`layers: ${graph.size} modules, ${violations.length} violations`);
Deno.exit(violations.length > 0 ? 1 : 0);

async function modules(): Promise<Module[]> {
  const entries = ["main.ts", ...sources("src")];
  const all = new Map<string, Module>();
  for (const entry of entries) {
    if (all.has(new URL(entry, root).href)) continue;
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["info", "--json", entry],
      cwd: new URL(root),
    }).output();
    const info: { modules: Module[] } = JSON.parse(new TextDecoder().decode(stdout));
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
function collectImports(all: readonly Module[]): Map<string, string[]> {
  const ours = (specifier?: string) => specifier?.startsWith(root) && specifier.endsWith(".ts");
  return new Map(
    all.filter(({ specifier }) => ours(specifier)).map(({ specifier, dependencies = [] }) => [
      specifier.slice(root.length),
      [
        ...new Set(
          dependencies.map(({ code, type }) => code?.specifier ?? type?.specifier).filter(ours),
        ),
      ].map((target) => target!.slice(root.length)),
    ]),
  );
}

function upwardImports(graph: Map<string, string[]>): string[] {
  const layer = (path: string) => /^src\/([^/]+)\//.exec(path)?.[1];
  return [...graph].flatMap(([from, targets]) =>
    targets.flatMap((to) => {
      const [a, b] = [layer(from), layer(to)];
      if (a === undefined || a === b) return [];
      if (b !== undefined && LAYERS[b] < LAYERS[a]) return [];
      return [`${from} imports ${to}: ${a} may import only from lower layers`];
    })
  );
}

function cycles(graph: Map<string, string[]>): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (node: string) => {
    if (path.includes(node)) {
      found.push(`cycle: ${[...path.slice(path.indexOf(node)), node].join(" → ")}`);
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

/** Returns the chain of run-time imports from `entry` to zod, if there is one. */
function heavyThreads(all: readonly Module[], entry: string): string[] {
  const modules = new Map(all.map((module) => [module.specifier, module]));
  const chains = new Map([[new URL(entry, root).href, [entry]]]);
  for (const [specifier, chain] of chains) {
    for (const { code } of modules.get(specifier)?.dependencies ?? []) {
      const target = code?.specifier;
      if (target === undefined || chains.has(target)) continue;
      const next = [...chain, target.replace(root, "")];
      if (/^npm:\/?zod@/.test(target)) return [`load threads load zod: ${next.join(" → ")}`];
      chains.set(target, next);
    }
  }
  return [];
}
