import { assertEquals } from "@std/assert";
import {
  folderCycles,
  moduleCycles,
  repeatedNames,
  staleTestFolders,
  undescribedFiles,
  unusedModules,
  upwardImports,
} from "../../scripts/layer_rules.ts";
import { type ModuleGraph, parseModule } from "../../scripts/source_graph.ts";

/** Creates a module graph from the imports of each module. */
function graphOf(all: Readonly<Record<string, readonly string[]>>): ModuleGraph {
  return new Map(
    Object.entries(all).map(([path, imports]) => [path, { ...parseModule(path, ""), imports }]),
  );
}

Deno.test("upwardImports allows imports from lower layers and from the same folder of src", () => {
  const graph = graphOf({
    "main.ts": ["src/cli/cli.ts"],
    "src/cli/cli.ts": ["src/base/errors.ts", "src/cli/commands/run.ts"],
    "src/base/errors.ts": [],
  });
  assertEquals(upwardImports(graph), []);
});

Deno.test("upwardImports reports imports from a higher layer, from another folder of the same layer, from outside src, and in a folder without a layer", () => {
  const graph = graphOf({
    "src/base/a.ts": ["src/plan/b.ts"],
    "src/convert/c.ts": ["src/engine/d.ts"],
    "src/plan/e.ts": ["main.ts"],
    "src/other/f.ts": ["src/base/a.ts"],
  });
  assertEquals(upwardImports(graph), [
    "src/base/a.ts imports src/plan/b.ts: base may import only from lower layers",
    "src/convert/c.ts imports src/engine/d.ts: convert may import only from lower layers",
    "src/plan/e.ts imports main.ts: plan may import only from lower layers",
    "src/other/f.ts imports src/base/a.ts: other may import only from lower layers",
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

Deno.test("repeatedNames reports a file name that two files of a layer have, but not the files of a family in two layers", () => {
  const graph = graphOf({
    "src/plan/kinds/bodies/json.ts": [],
    "src/plan/kinds/outputs/json.ts": [],
    "src/engine/conditions.ts": [],
    "src/export/conditions.ts": [],
    "src/plan/conditions.ts": [],
  });
  assertEquals(repeatedNames(graph), [
    "file name json.ts occurs 2 times: src/plan/kinds/bodies/json.ts, src/plan/kinds/outputs/json.ts",
  ]);
});

Deno.test("unusedModules reports a variant that is not registered", () => {
  const graph = graphOf({
    "main.ts": ["src/plan/kinds/steps.ts"],
    "src/plan/kinds/steps.ts": ["src/plan/kinds/steps/random.ts"],
    "src/plan/kinds/steps/random.ts": [],
    "src/plan/kinds/websocket.ts": [],
    "src/report/html/style.css": [],
    "src/traffic/accesslog/count/assembly/json.ts": [],
  });
  assertEquals(unusedModules(graph), [
    "src/plan/kinds/websocket.ts: no module imports it",
  ]);
});

Deno.test("staleTestFolders reports folders of tests that mirror no folder of src", () => {
  const graph = graphOf({ "main.ts": [], "src/base/bytes/a.ts": [] });
  const files = [
    ...["tests/docs_test.ts", "tests/base/b_test.ts", "tests/base/bytes/a_test.ts"],
    ...["tests/base/frames/c_test.ts", "tests/scripts/d_test.ts", "tests/slow/base/e_test.ts"],
  ];
  assertEquals(staleTestFolders(graph, files), [
    "tests/base/frames: the folder src/base/frames does not exist",
  ]);
});

Deno.test("undescribedFiles reports each file that the README of its folder does not name", () => {
  assertEquals(undescribedFiles("`a.ts`, `b.ts`", ["tests/x/a.ts", "tests/x/c.ts"]), [
    "tests/x/c.ts: tests/x/README.md does not name it",
  ]);
});
