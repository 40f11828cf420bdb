import { isNumber } from "../../base/exact_number.ts";
import { hidePasswords } from "../text/user_info.ts";

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

/** `message` and `hint` can contain text of the plan: escape control characters to print them. */
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

/** Maximum length of the text shown on each side of a position, in UTF-16 code units. */
const CONTEXT = 60;
/** Searched for passwords on each side of a position, in UTF-16 code units. */
const SEARCHED = 2_000;

/** A line and column number, with the surrounding text of the line. */
export interface TextPlace {
  /** One-based line number. */
  readonly line: number;
  /** One-based column number, in UTF-16 code units. */
  readonly column: number;
  /**
   * Before the position in its line: at most 60 UTF-16 code units, after `…` if cut. Passwords are
   * hidden, control characters not escaped.
   */
  readonly before: string;
  /**
   * After the position in its line: at most 60 UTF-16 code units, before `…` if cut. Passwords are
   * hidden, control characters not escaped.
   */
  readonly after: string;
}

/** Offsets and columns are in UTF-16 code units. */
export class LineIndex {
  readonly #starts: number[] = [0];
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
      this.#starts.push(at + 1);
    }
  }

  /** An offset past the end counts as the end of the text. */
  place(offset: number): TextPlace {
    const at = Math.min(offset, this.#text.length);
    let low = 0;
    let high = this.#starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.#starts[middle] <= at) low = middle;
      else high = middle;
    }
    const from = Math.max(this.#starts[low], at - SEARCHED);
    // Hide passwords before cutting the text, because a partial URL would not be recognized.
    const near = hidePasswords(
      this.#text.slice(from, Math.min(this.#starts[high] ?? Infinity, at + SEARCHED)),
    );
    const [before, after] = [near.slice(0, at - from), near.slice(at - from)];
    return {
      line: low + 1,
      column: at - this.#starts[low] + 1,
      before: before.length > CONTEXT ? `…${before.slice(-CONTEXT)}` : before,
      after: cutEnd(after.replace(/\r?\n$/, "")),
    };
  }

  /** A line past the end starts at the end. */
  offset(line: number, column: number): number {
    return (this.#starts[line - 1] ?? this.#text.length) + column - 1;
  }
}

function cutEnd(text: string): string {
  return text.length > CONTEXT ? `${text.slice(0, CONTEXT)}…` : text;
}

/** Describes a value in words that can follow "found", such as `the text "abc"` or `a list`. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (typeof value === "string") return `the text ${JSON.stringify(shortened(value))}`;
  if (isNumber(value)) return `the number ${value}`;
  if (typeof value === "boolean") return String(value);
  return Array.isArray(value) ? "a list" : "a map";
}

function shortened(text: string): string {
  return text.length > 60 ? text.slice(0, 59) + "…" : text;
}
