/**
 * Holds the floors of ARCHITECTURE.md: imports go down only, type imports too, floors beside each
 * other do not meet, and there are no circles. Prints each breach and exits 1.
 */
const FLOORS: Record<string, number> = {
  base: 0,
  traffic: 1,
  plan: 1,
  extract: 2,
  convert: 3,
  engine: 3,
  verify: 4,
  report: 4,
  demo: 4,
  cli: 5,
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
const graph = collectImports(await modules());
const breaches = [...wrongWays(graph), ...circles(graph)];
for (const breach of breaches) console.error(breach);
console.log(`layers: ${graph.size} modules, ${breaches.length} breaches`);
Deno.exit(breaches.length > 0 ? 1 : 0);

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
    return isDirectory ? sources(path) : name.endsWith(".ts") ? [path] : [];
  });
}

/** Each module of ours, and those of ours that it imports, as paths from the root. */
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

function wrongWays(graph: Map<string, string[]>): string[] {
  const floor = (path: string) => /^src\/([^/]+)\//.exec(path)?.[1];
  return [...graph].flatMap(([from, targets]) =>
    targets.flatMap((to) => {
      const [a, b] = [floor(from), floor(to)];
      if (a === undefined || a === b) return [];
      if (b !== undefined && FLOORS[b] < FLOORS[a]) return [];
      return [`${from} imports ${to}: ${a} may only import from the floors below it`];
    })
  );
}

function circles(graph: Map<string, string[]>): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (node: string) => {
    if (path.includes(node)) {
      found.push(`circle: ${[...path.slice(path.indexOf(node)), node].join(" → ")}`);
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
