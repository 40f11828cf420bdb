import type { TextPlace } from "./line_index.ts";

/** Every code that a diagnostic can have; docs/diagnostics.md explains each. They stay as they are. */
export const DIAGNOSTIC_CODES = [
  "alias-bomb",
  "bad-aggregation",
  "bad-base64",
  "bad-css",
  "bad-duration",
  "bad-encoding",
  "bad-jsonpath",
  "bad-name",
  "bad-regex",
  "bad-selector",
  "bad-template",
  "bad-threshold",
  "bad-url",
  "bad-value",
  "bad-xpath",
  "duplicate-key",
  "empty-list",
  "empty-plan",
  "long-duration",
  "missing-file",
  "missing-key",
  "multiple-documents",
  "no-base-url",
  "no-effect",
  "no-scenarios",
  "not-a-plan",
  "other-syntax",
  "reserved-name",
  "selects-nothing",
  "slow-regex",
  "too-deep",
  "too-many-diagnostics",
  "too-many-keys",
  "unknown-column",
  "unknown-data",
  "unknown-key",
  "unknown-method",
  "unknown-metric",
  "unknown-secret",
  "unknown-variable",
  "unreadable",
  "variable-too-early",
  "wrong-executor-key",
  "wrong-type",
  "yaml-syntax",
] as const;
/** One of them. */
export type DiagnosticCode = typeof DIAGNOSTIC_CODES[number];

/** A place in a plan: map keys and list indices (from 0) from the top. */
export type Path = readonly (string | number)[];

/** Something wrong with a plan. `message` and `hint` may hold the plan's text; who prints makes it safe. */
export interface Diagnostic {
  readonly code: DiagnosticCode;
  /** An error keeps a plan from running; a warning does not. */
  readonly severity: "error" | "warning";
  /** Where; of something missing, where it should stand. Empty for the plan as a whole. */
  readonly path: Path;
  /** What is wrong, what was found and what was expected, in one line. */
  readonly message: string;
  /** What to do about it, such as `did you mean "vus"?`. */
  readonly hint?: string;
  /** The key at the end of `path` is what is wrong, not its value. */
  readonly atKey?: boolean;
  /** Where in the text at `path`, in UTF-16 units from 0. */
  readonly within?: number;
}

/** A diagnostic with its place in the plan's text. */
export interface LocatedDiagnostic extends Diagnostic, TextPlace {}

/** A path as people write it: `scenarios.main.flow[0].request.headers["X-A b"]`. */
export function formatPath(path: Path): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else if (/^[\w-]+$/.test(part)) text += text === "" ? part : `.${part}`;
    else text += `[${JSON.stringify(part)}]`;
  }
  return text;
}
