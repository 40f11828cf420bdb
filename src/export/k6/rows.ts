import { ExactNumber } from "../../base/exact_number.ts";
import type { FlowScope } from "./flow_scope.ts";
import {
  arrowCode,
  callCode,
  listCode,
  memberOf,
  objectCode,
  scalarLiteral,
  stringLiteral,
} from "./javascript.ts";
import type { Script } from "./script.ts";
import type { Feeder } from "../../plan/schema/plan.ts";

/**
 * Returns the name of the script variable that contains the row of the data source `source` in the
 * current iteration. The flow's function sets the variable at the start of each iteration.
 */
export function rowVariable(source: string, scope: FlowScope): string {
  const { script } = scope;
  const feeder = script.plan.data?.[source];
  const rows = script.source(source);
  if (feeder === undefined) return rows;
  const key = `row ${source}`;
  if (scope.startLines.has(key)) return scope.perIteration(key, "", "");
  const index = rowIndex(feeder, rows, scope);
  const variable = scope.perIteration(key, `${rows} row`, `${rows}[${index}]`);
  if (feeder.on_eof === "stop" && feeder.pick !== "random" && feeder.pick !== "weighted") {
    script.note("k6-data-end", `data.${source}`, "iterations after the last row do nothing");
    const line = scope.startLines.get(key)!;
    scope.startLines.set(key, `${line}\nif (${variable} === undefined) return; // no row is left`);
  }
  return variable;
}

function rowIndex(feeder: Feeder, rows: string, scope: FlowScope): string {
  const { script } = scope;
  if (scope.kind !== "scenario") return "0";
  switch (feeder.pick ?? "sequential") {
    case "random":
      return `Math.floor(Math.random() * ${rows}.length)`;
    case "weighted":
      return `${script.use("choose")}(${weightsOf(rows)})`;
    case "sequential":
    case "shuffle": {
      script.import("k6/execution", "default");
      const number = feeder.mode === "per_vu"
        ? "exec.vu.iterationInScenario"
        : "exec.scenario.iterationInTest";
      return feeder.on_eof === "stop" ? number : `${number} % ${rows}.length`;
    }
  }
}

function weightsOf(rows: string): string {
  return `${rows}Weights`;
}

/** Returns the declarations of the plan's data sources. */
export function dataLines(script: Script): string[] {
  return Object.entries(script.plan.data ?? {}).flatMap(([name, feeder]) => {
    const rows = script.source(name);
    const array = script.import("k6/data", "SharedArray");
    const shuffle = feeder.pick === "shuffle" ? `${script.use("shuffled")}(` : "";
    const all = rowsCode(feeder, script);
    const read = shuffle === "" ? all : `${shuffle}${all})`;
    noteOrder(name, feeder, script);
    return [
      `const ${rows} = new ${callCode(array, [stringLiteral(name), arrowCode("()", read)])};`,
      ...(feeder.pick === "weighted"
        ? [
          `const ${weightsOf(rows)} = ${rows}.map((row) => Number(${
            memberOf("row", feeder.weight_column ?? "")
          }));`,
        ]
        : []),
    ];
  });
}

function noteOrder(name: string, { pick = "sequential", mode }: Feeder, script: Script): void {
  const isOrdered = pick === "shuffle" || pick === "sequential";
  const isShared = mode !== "per_vu" && Object.keys(script.plan.scenarios).length > 1;
  if (!isOrdered || !(isShared || pick === "shuffle")) return;
  const message = pick === "shuffle"
    ? "the rows are shuffled once, at the start of the test"
    : "each scenario starts with the first row";
  script.note("k6-data-order", `data.${name}`, message);
}

function rowsCode(feeder: Feeder, script: Script): string {
  switch (feeder.type) {
    case "inline":
      return listCode(feeder.rows.map((row) => dataCode(row, script)));
    case "json":
      script.note("k6-numbers", feeder.path, "k6 reads the numbers in the file as doubles");
      return `JSON.parse(open(${stringLiteral(script.scriptPath(feeder.path))}))`;
    case "csv": {
      const { path, delimiter = ",", encoding = "utf-8", has_header = true } = feeder;
      if (encoding !== "utf-8") {
        script.note(
          "k6-encoding",
          path,
          `k6 reads the file as UTF-8, not as ${encoding}: convert it`,
        );
      }
      const special = /[\\^$.*+?()[\]{}|\-]/;
      const escaped = special.test(delimiter) ? `\\${delimiter}` : delimiter;
      const text = `open(${stringLiteral(script.scriptPath(path))})`;
      return `${script.use("parseCsv")}(${text}, ${stringLiteral(escaped)}, ${has_header})`;
    }
  }
}

/** Returns the JavaScript code for a JSON value without templates. */
export function dataCode(value: unknown, script: Script): string {
  if (Array.isArray(value)) return listCode(value.map((item) => dataCode(item, script)));
  if (value instanceof ExactNumber) {
    script.note(
      "k6-numbers",
      value.text,
      "JavaScript cannot represent this number exactly: the script contains it as text",
    );
    return scalarLiteral(value);
  }
  if (typeof value !== "object" || value === null) return scalarLiteral(value);
  const entries = Object.entries(value).map(([key, item]) =>
    [key, dataCode(item, script)] as const
  );
  return objectCode(entries);
}
