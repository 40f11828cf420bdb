/**
 * Checks that `src` has the structure that ARCHITECTURE.md describes. Prints each violation, and
 * exits with 1 if it finds any. The rules are:
 *
 * - A module, including its type imports, imports only from lower layers.
 * - Imports have no cycles, neither between modules nor between folders.
 * - No two files of a layer have the same name.
 * - Each module is imported by another module, or started by it as a worker.
 * - The README of `tests/support` names each of its files.
 * - Each folder of `tests` mirrors a folder of `src`, except those with another purpose.
 *
 * Then prints the size and budget of each folder, and how exports are used.
 */
import { budgetTable, exportUse, folderRows, overBudget, total } from "./budgets.ts";
import {
  folderCycles,
  moduleCycles,
  repeatedNames,
  staleTestFolders,
  undescribedFiles,
  unusedModules,
  upwardImports,
} from "./layer_rules.ts";
import { parseModule } from "./source_graph.ts";

const root = new URL("..", import.meta.url);
const graph = new Map(
  ["main.ts", ...sources("src")]
    .map((path) => [path, parseModule(path, Deno.readTextFileSync(new URL(path, root)))]),
);
const rows = folderRows(graph);
const uses = exportUse(graph);
const violations = [
  ...upwardImports(graph),
  ...moduleCycles(graph),
  ...folderCycles(graph),
  ...repeatedNames(graph),
  ...unusedModules(graph),
  ...staleTestFolders(graph, sources("tests")),
  ...undescribedFiles(
    Deno.readTextFileSync(new URL("tests/support/README.md", root)),
    sources("tests/support"),
  ),
  ...overBudget(rows, uses),
];
for (const violation of violations) console.error(violation);
console.log(`${budgetTable([...rows, total(rows)])}

exports: ${uses.all}; exactly one other file uses ${uses.once}, none uses ${uses.never}
layers: ${graph.size} files, ${violations.length} violations`);
Deno.exit(violations.length > 0 ? 1 : 0);

/** Returns the source files in a folder. */
function sources(folder: string): string[] {
  return [...Deno.readDirSync(new URL(folder, root))].flatMap(({ name, isDirectory }) => {
    const path = `${folder}/${name}`;
    if (isDirectory) return sources(path);
    return /\.(?:ts|js|css)$/.test(name) ? [path] : [];
  });
}
