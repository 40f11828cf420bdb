import type { PlanFiles } from "../files.ts";
import type { Diagnostic, DiagnosticCode, Path } from "../diagnostic.ts";
import type { SelectorSyntax } from "../selector_syntax.ts";

/** What can be said of a diagnostic beside its code and message. */
export interface Details {
  /** Keys below the walk's place. */
  readonly below?: Path;
  readonly hint?: string;
  readonly atKey?: boolean;
  readonly within?: number;
  readonly severity?: "warning";
}

/** A name of a flow that is used, and where. */
export interface VariableUse {
  readonly name: string;
  readonly path: Path;
  readonly within: number | undefined;
  /** Whether the name must be given before this place (else anywhere in the flow will do). */
  readonly early: boolean;
}

/** A walk over a plan: where it is, what it has seen, and what it has found wrong. */
export class CheckContext {
  readonly diagnostics: Diagnostic[] = [];
  readonly path: (string | number)[] = [];
  /** The variables that the current scenario has given so far, with the place of each. */
  given = new Map<string, Path>();
  /** The uses of variables that were not given yet. */
  uses: VariableUse[] = [];
  /** The variables that any scenario has given. */
  readonly everGiven = new Map<string, Path>();
  /** The uses outside of scenarios. */
  readonly outerUses: VariableUse[] = [];
  /** The columns of the sources that were asked for; undefined where they cannot be known. */
  readonly columns = new Map<string, readonly string[] | undefined>();
  /** The values that samples of the plan can have, by tag. */
  readonly tagValues = new Map<string, Set<string>>();
  /** How many requests need a base URL. */
  relativeUrls = 0;
  readonly plan: unknown;
  readonly files: PlanFiles | undefined;
  readonly selectors: SelectorSyntax | undefined;

  constructor(plan: unknown, files?: PlanFiles, selectors?: SelectorSyntax) {
    this.plan = plan;
    this.files = files;
    this.selectors = selectors;
  }

  /** Notes that something is wrong here. */
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

  /** Does something one step further down. */
  at(key: string | number, work: () => void): void {
    this.path.push(key);
    work();
    this.path.pop();
  }
}
