import { assertEquals } from "@std/assert";
import { COMMENTS, overBudget, SINGLE_USES, total } from "../../scripts/budgets.ts";
import { lintLanguage, wideComments } from "../../scripts/language/lint.ts";
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

Deno.test("overBudget reports folders, comments and exports above the limits", () => {
  const row = (lines: number, files: number, comments = 0) => ({
    folder: "storage",
    budget: [90, 1, 100, 2] as const,
    lines,
    files,
    comments,
  });
  const use = { all: 2_000, once: SINGLE_USES, never: 0 };
  assertEquals(overBudget([row(160, 3, COMMENTS), row(91, 1)], use), []);
  const message =
    "before 100 in 2: make it smaller, or raise its size in scripts/budgets.ts with a reason in the commit";
  assertEquals(overBudget([row(161, 2), row(1, 4)], use), [
    `storage: 161 lines in 2 files, ${message}`,
    `storage: 1 lines in 4 files, ${message}`,
  ]);
  assertEquals(overBudget([row(100, 2, COMMENTS + 1)], { ...use, once: SINGLE_USES + 1 }), [
    `${COMMENTS + 1} lines of comments; at most ${COMMENTS} per 100 code lines`,
    `exactly one other file uses ${SINGLE_USES + 1} exports; at most ${SINGLE_USES}`,
  ]);
  assertEquals(total([row(100, 1, 16), row(1, 1)]).comments, 16);
});

/** Creates a module graph from the imports of each module. */
function importGraph(all: Readonly<Record<string, readonly string[]>>): ModuleGraph {
  return new Map(
    Object.entries(all).map(([path, imports]) => [path, { ...parseModule(path, ""), imports }]),
  );
}

Deno.test("upwardImports allows imports from lower layers and from the same folder of src", () => {
  const graph = importGraph({
    "main.ts": ["src/cli/cli.ts"],
    "src/cli/cli.ts": ["src/base/errors.ts", "src/cli/commands/run.ts"],
    "src/base/errors.ts": [],
  });
  assertEquals(upwardImports(graph), []);
});

Deno.test("upwardImports reports imports from a higher layer, from another folder of the same layer, from outside src, and in a folder without a layer", () => {
  const graph = importGraph({
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
  const graph = importGraph({
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
  const graph = importGraph({
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

Deno.test("repeatedNames reports a file name that two files of a layer have, but not the files of a family in two layers", () => {
  const graph = importGraph({
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
  const graph = importGraph({
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
  const graph = importGraph({ "main.ts": [], "src/base/bytes/a.ts": [] });
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

Deno.test("parseModule counts lines of code and of comments, and neither blank lines nor imports", () => {
  const { lines, comments } = parseModule(
    "src/plan/a.ts",
    `/**
 * Describes the module.
 */
import {
  b,
  c,
} from "./b.ts";
import config from "../../deno.json" with { type: "json" };

/** One line. */
export const load = () => // a comment after code
  import("./c.ts");
  // comment
const both = b * c; /* a comment after code */
`,
  );
  assertEquals([lines, comments], [3, 5]);
});

Deno.test("parseModule returns the modules and names that a module imports, and its exports", () => {
  const module = parseModule(
    "src/plan/kinds/a.ts",
    `import { type B, c as d } from "../b.ts";
import type {
  E,
} from "../../base/e.ts";
import * as all from "./all.ts";
import { parse } from "yaml";
export const worker = new URL("./worker.ts", import.meta.url);
export async function load(): Promise<import("./type.ts").T> {
  await import("../c.ts");
}
export abstract class A {}
export type { B };
`,
  );
  assertEquals(module.imports, [
    ...["src/plan/b.ts", "src/base/e.ts", "src/plan/kinds/all.ts", "src/plan/kinds/worker.ts"],
    ...["src/plan/kinds/type.ts", "src/plan/c.ts"],
  ]);
  assertEquals(module.loads, module.imports.slice(3));
  assertEquals(module.uses, [
    "src/plan/b.ts#B",
    "src/plan/b.ts#c",
    "src/base/e.ts#E",
    "src/plan/kinds/all.ts#*",
  ]);
  assertEquals(module.exports, ["worker", "load", "A"]);
});

Deno.test("lintLanguage reports words to avoid in comments, with line numbers and replacements", () => {
  const source = "/**\n * Parses a line.\n * What stands behind it.\n */\nconst told = 1;\n";
  assertEquals(words("src/a.ts", source), ["3 behind", "3 stands"]);
});

Deno.test("lintLanguage reports words to avoid in messages but not in short keys", () => {
  assertEquals(words("src/a.ts", 'fail("the answer was late", { answer: "told" });\n'), [
    "1 answer",
  ]);
});

Deno.test("in tests, the only strings that lintLanguage checks are test names", () => {
  const source = 'Deno.test("shows what was told", () => send("an answer here"));\n';
  assertEquals(words("tests/a_test.ts", source), ["1 told"]);
});

Deno.test("lintLanguage ignores code spans, option names, code blocks and accepted phrases", () => {
  const source =
    "Pass `--journeys` or --journeys, behind a proxy.\n```sh\necho told\n```\nTold you.\n";
  assertEquals(words("docs/a.md", source), ["5 Told"]);
});

Deno.test("wideComments reports comments of more than 100 columns that can be wrapped", () => {
  const wide = "word ".repeat(20).trimEnd();
  const source = [
    `/** ${wide} */`,
    ` * ${wide}`,
    `  // ${wide}`,
    ` *     ${wide}`,
    `// https://example.com/ ${wide}`,
    `const text = "${wide}";`,
    `// ${wide.slice(3)}`,
  ].join("\n");
  assertEquals(wideComments(source), [1, 2, 3]);
});

function words(path: string, source: string): string[] {
  return lintLanguage(path, source).map(({ line, word }) => `${line} ${word}`).sort();
}
