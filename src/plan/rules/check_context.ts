import type { Diagnostic, DiagnosticCode, Path } from "./diagnostic.ts";

/**
 * Access to the files that a plan names, so that `checkPlan` can check them. Paths are as written in the
 * plan.
 */
export interface PlanFiles {
  /** Reports whether the path, relative to the plan, is a file. */
  exists(path: string): boolean;
  /** Returns the first line of a file without its line end, or undefined if it cannot be read. */
  firstLine(path: string): string | undefined;
}

/**
 * Syntax checks that need a library. Each is absent if the plan does not need it, so that the library is
 * not loaded.
 */
export interface SyntaxChecks {
  /** Returns the syntax error of a CSS selector, or undefined. */
  readonly cssError?: (selector: string) => string | undefined;
  /** Returns the syntax error of an XPath expression, or undefined. */
  readonly xpathError?: (expression: string) => string | undefined;
  /** Returns a group of a regular expression that can take exponential time, or undefined. */
  readonly backtrackingGroup?: (pattern: string) => string | undefined;
}

/** Optional details of a diagnostic. */
export interface Details {
  /** Path of the problem, relative to the current path of the context. */
  readonly below?: Path;
  readonly hint?: string;
  readonly atKey?: boolean;
  readonly within?: number;
  readonly severity?: "warning";
}

/** A use of a flow variable. */
export interface VariableUse {
  readonly name: string;
  readonly path: Path;
  /** Offset in the text at `path`, in UTF-16 units from 0; undefined for the start of the value. */
  readonly within: number | undefined;
  /** True if an earlier step must set the variable; false if any step of the flow may set it. */
  readonly early: boolean;
}

/** The state of a check: the current path, the variables and tags so far, and the diagnostics. */
export class CheckContext {
  readonly diagnostics: Diagnostic[] = [];
  readonly path: (string | number)[] = [];
  /** Variables that the current scenario has set so far, with the path of each. */
  given = new Map<string, Path>();
  /** Uses of variables that were not set before. */
  uses: VariableUse[] = [];
  /** Variables that any scenario has set. */
  readonly everGiven = new Map<string, Path>();
  /** Uses of variables outside scenarios. */
  readonly outerUses: VariableUse[] = [];
  /** Cache of the columns of each data source. The value is undefined if they cannot be determined. */
  readonly columns = new Map<string, readonly string[] | undefined>();
  /** Names of the groups around the current path, the outermost first. */
  readonly groups: string[] = [];
  /** Values that samples of the plan can have, by tag. */
  readonly tagValues = new Map<string, Set<string>>();
  /** Number of requests with a relative URL. */
  relativeUrls = 0;
  readonly plan: unknown;
  readonly files: PlanFiles | undefined;
  readonly syntax: SyntaxChecks;

  constructor(plan: unknown, files?: PlanFiles, syntax: SyntaxChecks = {}) {
    this.plan = plan;
    this.files = files;
    this.syntax = syntax;
  }

  /** Adds a diagnostic at the current path. */
  report(code: DiagnosticCode, message: string, details: Details = {}): void {
    const { below = [], hint, atKey, within, severity = "error" } = details;
    this.diagnostics.push({
      code,
      severity,
      path: [...this.path, ...below],
      message,
      ...(hint && { hint }),
      ...(atKey && { atKey }),
      ...(within !== undefined && { within }),
    });
  }

  /** Records a value that samples can have for a tag. */
  addTagValue(tag: string, value: unknown): void {
    const values = this.tagValues.get(tag);
    if (values) values.add(String(value));
    else this.tagValues.set(tag, new Set([String(value)]));
  }

  /** Calls `action` with `key` appended to the current path. */
  at(key: string | number, action: () => void): void {
    this.path.push(key);
    action();
    this.path.pop();
  }
}
