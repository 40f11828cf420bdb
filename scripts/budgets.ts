import type { ModuleGraph } from "./source_graph.ts";

/**
 * The size that a folder should have, and the size that it has today. Lower the latter with each
 * change that makes a folder smaller. Raising it is a decision. The targets are goals, half to nine
 * tenths of the sizes of today, that no folder has to reach: only the sizes of today are checked.
 */
type Budget = readonly [lines: number, files: number, linesToday: number, filesToday: number];

/** Folders of `src` with their budgets, in layers from the lowest to the highest. */
export const LAYERS: readonly Readonly<Record<string, Budget>>[] = [
  { "base": [1_735, 17, 2_023, 21] },
  { "plan": [5_915, 40, 6_731, 39], "storage": [370, 3, 434, 2] },
  { "extract": [775, 9, 977, 7], "http": [3_685, 22, 4_133, 25] },
  {
    "traffic": [0, 0, 39, 2],
    "traffic/accesslog": [5_912, 37, 6_859, 43],
    "traffic/har": [900, 7, 1_393, 9],
    "traffic/session": [1_150, 9, 1_829, 14],
  },
  { "correlation": [2_410, 16, 4_395, 27] },
  { "comparison": [600, 4, 871, 7] },
  { "outcome": [760, 6, 1_671, 10] },
  { "convert": [3_560, 20, 5_415, 29], "engine": [6_260, 39, 7_759, 48] },
  { "verify": [2_000, 13, 3_196, 17] },
  { "calibrate": [2_690, 17, 6_058, 34] },
  {
    "report": [4_187, 24, 4_845, 28],
    "export": [1_660, 9, 2_184, 10],
    "fleet": [1_340, 9, 1_631, 9],
    "demo": [440, 3, 580, 3],
  },
  { "cli": [5_545, 39, 7_431, 49] },
];
const BUDGETS: Readonly<Record<string, Budget>> = Object.assign({}, ...LAYERS);

/** Lines and files by which a folder may exceed the size of today without a decision. */
const SLACK = [60, 1] as const;
/** Most comment lines per 100 code lines. The target is 15. */
export const COMMENTS = 16;
/** Most exports that exactly one other file uses. The target is 700. */
export const SINGLE_USES = 1_014;

/** Size of a folder of `src`, with the subfolders that have no separate row. */
export interface Row {
  readonly folder: string;
  readonly budget: Budget;
  readonly lines: number;
  readonly files: number;
  readonly comments: number;
}

/** Returns the size of each folder of `LAYERS`, and of the other folders that contain modules. */
export function folderRows(graph: ModuleGraph): Row[] {
  const modules = Map.groupBy(
    [...graph].filter(([path]) => path.startsWith("src/")),
    ([path]) => folderOf(path),
  );
  const others = [...modules.keys()].filter((folder) => BUDGETS[folder] === undefined);
  return [...Object.keys(BUDGETS), ...others].map((folder) => {
    const own = modules.get(folder) ?? [];
    const sum = (size: "lines" | "comments") => own.reduce((n, [, one]) => n + one[size], 0);
    return {
      folder,
      budget: BUDGETS[folder] ?? [0, 0, 0, 0],
      lines: sum("lines"),
      files: own.length,
      comments: sum("comments"),
    };
  });
}

/** Returns the folder with a separate row that contains the module at `path`. */
function folderOf(path: string): string {
  const [, top, sub] = path.split("/");
  const folder = `${top}/${sub}`;
  return BUDGETS[folder] !== undefined ? folder : top;
}

/** Returns the sum of `rows`. */
export function total(rows: readonly Row[]): Row {
  return rows.reduce((sum, row) => ({
    ...sum,
    budget: [
      sum.budget[0] + row.budget[0],
      sum.budget[1] + row.budget[1],
      sum.budget[2] + row.budget[2],
      sum.budget[3] + row.budget[3],
    ],
    lines: sum.lines + row.lines,
    files: sum.files + row.files,
    comments: sum.comments + row.comments,
  }), { folder: "total", budget: [0, 0, 0, 0], lines: 0, files: 0, comments: 0 });
}

/** Formats rows as a table. */
export function budgetTable(rows: readonly Row[]): string {
  const text = (n: number) => n.toLocaleString("en");
  const cells = rows.map(({ folder, budget, lines, files, comments }) => [
    folder,
    ...[lines, budget[2], budget[0], files, budget[3], budget[1]].map(text),
    lines > 0 ? text(Math.round(100 * comments / lines)) : "",
  ]);
  const sizes = ["lines", "before", "target", "files", "before", "target"];
  const head = ["folder of src", ...sizes, "comments per 100 lines"];
  return [head, ...cells].map(([folder, ...rest]) =>
    folder.padEnd(20) + rest.map((cell, i) => cell.padStart(i < 6 ? 8 : 24)).join("")
  ).join("\n");
}

/** Number of exports of `src`, by their use in other modules. */
export interface ExportUse {
  readonly all: number;
  /** Exports that exactly one other module imports by name. */
  readonly once: number;
  /** Exports that no other module imports by name. Omits modules that are loaded at run time. */
  readonly never: number;
}

/** Counts the exports of `src` by the number of modules that import them by name. */
export function exportUse(graph: ModuleGraph): ExportUse {
  const modules = [...graph.values()];
  const uses = Map.groupBy(modules.flatMap(({ uses }) => uses), (use) => use);
  const loaded = new Set(modules.flatMap(({ loads }) => loads));
  const counts = [...graph].flatMap(([path, { exports }]) =>
    exports.map((name) => {
      const count = [`${path}#${name}`, `${path}#*`].reduce(
        (n, use) => n + (uses.get(use)?.length ?? 0),
        0,
      );
      return count > 0 || !loaded.has(path) ? count : undefined;
    })
  );
  const number = (count: number) => counts.filter((one) => one === count).length;
  return { all: counts.length, once: number(1), never: number(0) };
}

/** Returns a message for each limit that is exceeded. */
export function overBudget(rows: readonly Row[], { once }: ExportUse): string[] {
  const sum = total(rows);
  const messages = rows
    .filter(({ lines, files, budget: [, , linesToday, filesToday] }) =>
      lines > linesToday + SLACK[0] || files > filesToday + SLACK[1]
    )
    .map(({ folder, lines, files, budget: [, , linesToday, filesToday] }) =>
      `${folder}: ${lines} lines in ${files} files, before ${linesToday} in ${filesToday}: ` +
      "make it smaller, or raise its size in scripts/budgets.ts with a reason in the commit"
    );
  if (100 * sum.comments > COMMENTS * sum.lines) {
    messages.push(`${sum.comments} lines of comments; at most ${COMMENTS} per 100 code lines`);
  }
  if (once > SINGLE_USES) {
    messages.push(`exactly one other file uses ${once} exports; at most ${SINGLE_USES}`);
  }
  return messages;
}
