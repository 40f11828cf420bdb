import type { TextPlace } from "./line_index.ts";

/** The codes of all diagnostics. They are stable, and docs/diagnostics.md explains each. */
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
  "joins-texts",
  "long-duration",
  "missing-file",
  "missing-key",
  "multiple-documents",
  "no-base-url",
  "no-effect",
  "no-scenarios",
  "no-websocket",
  "not-a-plan",
  "other-syntax",
  "reserved-name",
  "selects-nothing",
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
  "unused-variable",
  "variable-too-early",
  "wrong-executor-key",
  "wrong-type",
  "yaml-syntax",
  "yaml-version",
] as const;
/** A diagnostic code, such as `unknown-key`. */
export type DiagnosticCode = typeof DIAGNOSTIC_CODES[number];

/** The path to a value in a plan: map keys and zero-based list indices, from the top level down. */
export type Path = readonly (string | number)[];

/**
 * An error or a warning about a plan. `message` and `hint` can contain text from the plan, so code
 * that prints them must escape control characters.
 */
export interface Diagnostic {
  readonly code: DiagnosticCode;
  /** A plan with errors cannot run. A plan with only warnings can. */
  readonly severity: "error" | "warning";
  /**
   * Path of the invalid value or of the missing key. Empty if the diagnostic is about the whole
   * plan.
   */
  readonly path: Path;
  /** One line that states what is invalid, what was expected and what was found. */
  readonly message: string;
  /** Suggestion for fixing the plan, such as `did you mean "vus"?`. */
  readonly hint?: string;
  /** True if the last key of `path` is invalid, rather than its value. */
  readonly atKey?: boolean;
  /** Zero-based offset of the invalid part in the text at `path`, in UTF-16 code units. */
  readonly within?: number;
}

/** A diagnostic with its position in the text of the plan. */
export interface LocatedDiagnostic extends Diagnostic, TextPlace {}

/** Formats a path as text, such as `scenarios.main.flow[0].request.headers["X-A b"]`. */
export function formatPath(path: Path): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else if (/^[\w-]+$/.test(part)) text += text === "" ? part : `.${part}`;
    else text += `[${JSON.stringify(part)}]`;
  }
  return text;
}
