import { assertEquals } from "@std/assert";
import {
  folderCycles,
  fragments,
  moduleCycles,
  type ModuleGraph,
  repeatedNames,
  unusedModules,
  upwardImports,
} from "../../scripts/layer_rules.ts";

/** Creates a module graph from the imports of each module. Every module has `lines` lines. */
function graphOf(imports: Readonly<Record<string, readonly string[]>>, lines = 100): ModuleGraph {
  return new Map(Object.entries(imports).map(([path, to]) => [path, { lines, imports: to }]));
}

Deno.test("upwardImports allows imports from lower layers and from the same folder of src", () => {
  const graph = graphOf({
    "main.ts": ["src/cli/cli.ts"],
    "src/cli/cli.ts": ["src/base/errors.ts", "src/cli/commands/run.ts"],
    "src/base/errors.ts": [],
  });
  assertEquals(upwardImports(graph), []);
});

Deno.test("upwardImports reports imports from a higher layer, from another folder of the same layer, and from outside src", () => {
  const graph = graphOf({
    "src/base/a.ts": ["src/plan/b.ts"],
    "src/convert/c.ts": ["src/engine/d.ts"],
    "src/plan/e.ts": ["main.ts"],
  });
  assertEquals(upwardImports(graph), [
    "src/base/a.ts imports src/plan/b.ts: base may import only from lower layers",
    "src/convert/c.ts imports src/engine/d.ts: convert may import only from lower layers",
    "src/plan/e.ts imports main.ts: plan may import only from lower layers",
  ]);
});

Deno.test("moduleCycles reports modules that import each other", () => {
  const graph = graphOf({
    "src/base/a.ts": ["src/base/b.ts"],
    "src/base/b.ts": ["src/base/c.ts"],
    "src/base/c.ts": ["src/base/a.ts"],
    "src/base/d.ts": ["src/base/a.ts"],
  });
  assertEquals(moduleCycles(graph), [
    "cycle: src/base/a.ts → src/base/b.ts → src/base/c.ts → src/base/a.ts",
  ]);
});

Deno.test("folderCycles reports folders that import each other, including a folder and its subfolder", () => {
  const graph = graphOf({
    "src/plan/a.ts": ["src/plan/kinds/b.ts"],
    "src/plan/kinds/b.ts": ["src/plan/c.ts"],
    "src/plan/c.ts": [],
  });
  assertEquals(moduleCycles(graph), []);
  assertEquals(folderCycles(graph), [
    "folder cycle: src/plan → src/plan/kinds → src/plan (src/plan/a.ts imports " +
    "src/plan/kinds/b.ts; src/plan/kinds/b.ts imports src/plan/c.ts)",
  ]);
});

Deno.test("folderCycles reports a cycle of three folders", () => {
  const graph = graphOf({
    "src/a/1.ts": ["src/b/1.ts"],
    "src/b/1.ts": ["src/c/1.ts"],
    "src/c/1.ts": ["src/a/2.ts"],
    "src/a/2.ts": [],
  });
  assertEquals(folderCycles(graph).length, 1);
});

Deno.test("folderCycles accepts two folders if only one of them imports the other", () => {
  const graph = graphOf({ "src/plan/a.ts": ["src/plan/kinds/b.ts"], "src/plan/kinds/b.ts": [] });
  assertEquals(folderCycles(graph), []);
});

Deno.test("repeatedNames reports a file name that occurs in two folders, unless both files implement the same variant in different layers", () => {
  const graph = graphOf({
    "src/plan/kinds/bodies/json.ts": [],
    "src/plan/kinds/outputs/json.ts": [],
    "src/plan/kinds/steps/random.ts": [],
    "src/engine/kinds/steps/random.ts": [],
    "src/base/random.ts": [],
    "src/plan/columns.ts": [],
    "src/traffic/columns.ts": [],
  });
  assertEquals(repeatedNames(graph), [
    "file name json.ts occurs 2 times: src/plan/kinds/bodies/json.ts, src/plan/kinds/outputs/json.ts",
    "file name columns.ts occurs 2 times: src/plan/columns.ts, src/traffic/columns.ts",
  ]);
});

Deno.test("unusedModules reports a variant that is not registered", () => {
  const graph = graphOf({
    "main.ts": ["src/plan/kinds/steps/steps.ts"],
    "src/plan/kinds/steps/steps.ts": ["src/plan/kinds/steps/random.ts"],
    "src/plan/kinds/steps/random.ts": [],
    "src/plan/kinds/steps/websocket.ts": [],
    "src/engine/workers/shard_worker.ts": [],
    "src/base/libraries/csv_parts.ts": [],
  });
  assertEquals(unusedModules(graph), [
    "src/plan/kinds/steps/websocket.ts: no module imports it",
  ]);
});

Deno.test("`fragments` reports small modules with only one importer if there are more than 40 of them", () => {
  const withSmall = (count: number) => {
    const small = Array.from({ length: count }, (_, i) => `src/base/small${i}.ts`);
    return new Map([
      ...graphOf(Object.fromEntries(small.map((path) => [path, []])), 40),
      ...graphOf({
        "src/base/all.ts": small,
        "src/base/long.ts": [],
        "main.ts": ["src/base/long.ts"],
      }),
    ]);
  };
  assertEquals(fragments(withSmall(40)), []);
  const found = fragments(withSmall(41));
  assertEquals(found.length, 41);
  assertEquals(found[0], "src/base/small0.ts has 40 lines and only src/base/all.ts imports it");
});

Deno.test("`fragments` ignores long modules, modules with several importers, and modules that implement a kind of step", () => {
  const names = Array.from({ length: 50 }, (_, i) => `${i}.ts`);
  const variants = names.map((name) => `src/plan/kinds/steps/${name}`);
  const shared = names.map((name) => `src/base/${name}`);
  const graph = new Map([
    ...graphOf(Object.fromEntries([...variants, ...shared].map((path) => [path, []])), 20),
    ...graphOf({ "src/plan/a.ts": [...variants, ...shared], "src/plan/b.ts": shared }),
  ]);
  assertEquals(fragments(graph), []);
});
