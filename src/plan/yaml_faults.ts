import { MAX_DEPTH } from "./depth.ts";
import type { Diagnostic, LocatedDiagnostic } from "./diagnostic.ts";
import type { LineIndex } from "./line_index.ts";
import type { SourceMap, YamlFault } from "./source_map.ts";

/** The most faults that are told at once. */
const MOST_FAULTS = 20;

/** The faults of a text: one a line, and not too many, as the first is the cause of most others. */
export function describeFaults(
  map: SourceMap | undefined,
  lines: LineIndex,
): LocatedDiagnostic[] {
  const faults = new Map<number, LocatedDiagnostic>();
  for (const fault of map?.faults ?? []) {
    const place = lines.place(fault.offset);
    if (!faults.has(place.line)) faults.set(place.line, { ...described(fault), ...place });
  }
  return [...faults.values()].sort((a, b) => a.line - b.line).slice(0, MOST_FAULTS);
}

function described({ code, message }: YamlFault): Diagnostic {
  const fault = { severity: "error", path: [] } as const;
  switch (code) {
    case "DUPLICATE_KEY":
      return { ...fault, code: "duplicate-key", message: "this map has this key already" };
    case "MULTIPLE_DOCS":
      return { ...fault, code: "multiple-documents", message: "a second document: expected one" };
    default:
      return { ...fault, code: "yaml-syntax", message };
  }
}

/** What the reader of values said of a text in which the reader of places sees nothing wrong. */
export function unexplained(error: Error, lines: LineIndex): LocatedDiagnostic {
  const [, said, line = "1", column = "1"] = /^([^]*?)(?: at line (\d+), column (\d+)[^]*)?$/.exec(
    error.message,
  )!;
  const deep = error instanceof RangeError;
  return {
    code: deep ? "too-deep" : /duplicated key/.test(said) ? "duplicate-key" : "yaml-syntax",
    severity: "error",
    path: [],
    message: deep ? `nested too deep: expected at most ${MAX_DEPTH} levels` : said,
    ...lines.place(lines.offset(Number(line), Number(column))),
  };
}
