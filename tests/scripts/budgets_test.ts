import { assertEquals } from "@std/assert";
import {
  budgetTable,
  COMMENTS,
  exportUse,
  folderRows,
  LAYERS,
  overBudget,
  SINGLE_USES,
  total,
} from "../../scripts/budgets.ts";
import { type ModuleGraph, parseModule } from "../../scripts/source_graph.ts";

function graphOf(sources: Readonly<Record<string, string>>): ModuleGraph {
  return new Map(
    Object.entries(sources).map(([path, text]) => [path, parseModule(path, text)]),
  );
}

/** Creates the source of a module with `lines` lines of code and `comments` comments. */
const module = (lines: number, comments = 0) => "a;\n".repeat(lines) + "// b\n".repeat(comments);

Deno.test("folderRows returns the size of each folder with a budget, then those of other folders", () => {
  const rows = folderRows(graphOf({
    "main.ts": module(9),
    "src/convert/har/a.ts": module(2),
    "src/convert/b.ts": module(3, 1),
    "src/other/d.ts": module(5),
  }));
  const full = rows.filter(({ files }) => files > 0)
    .map(({ folder, lines, files, comments }) => [folder, lines, files, comments]);
  assertEquals(full, [
    ["convert", 5, 2, 1],
    ["other", 5, 1, 0],
  ]);
  assertEquals(rows.length, Object.keys(Object.assign({}, ...LAYERS)).length + 1);
});

Deno.test("budgetTable prints sizes and budgets", () => {
  const sizes = { lines: 1200, files: 3, comments: 300 };
  const table = budgetTable([
    { folder: "storage", budget: [1370, 3, 1500, 4], ...sizes },
  ]);
  assertEquals(table.split("\n").slice(1).map((line) => line.trimStart().split(/ {2,}/)), [
    ["storage", "1,200", "1,500", "1,370", "3", "4", "3", "25"],
  ]);
});

Deno.test("exportUse counts exports by the number of modules that import them by name", () => {
  const use = exportUse(graphOf({
    "src/base/a.ts": "export const ONCE = 1;\nexport const TWICE = 2;\nexport type Never = 1;\n",
    "src/base/all.ts": "export const ALL = 1;\n",
    "src/cli/b.ts": `import { ONCE, TWICE as two } from "../base/a.ts";\nimport("./c.ts");\n`,
    "src/cli/c.ts": `import { type TWICE } from "../base/a.ts";
import * as all from "../base/all.ts";
export const command = {};
`,
  }));
  assertEquals(use, { all: 5, once: 2, never: 1 });
});

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
