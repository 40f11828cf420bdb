import { isMap } from "../../base/exact_number.ts";
import type { MetricKind } from "../text/metrics.ts";
import type { Diagnostic, DiagnosticCode, Path } from "./diagnostic.ts";

/**
 * Access to the files that a plan refers to. Paths are passed as written in the plan, relative to
 * the plan file.
 */
export interface PlanFiles {
  /** Reports whether a file exists at this path. */
  exists(path: string): boolean;
  /**
   * Returns the first line of a file without its line end. Returns undefined if the file cannot be
   * read.
   */
  firstLine(path: string): string | undefined;
}

/** Optional details of a diagnostic. */
export interface Details {
  /**
   * Path of the value that the diagnostic is about, relative to the current path of the context.
   */
  readonly below?: Path;
  readonly hint?: string;
  readonly atKey?: boolean;
  readonly within?: number;
  readonly severity?: "warning";
}

/** A use of a flow variable, such as `${token}`. */
export interface VariableUse {
  readonly name: string;
  readonly path: Path;
  /**
   * Zero-based offset of the use in the text at `path`, in UTF-16 code units. If undefined, the use
   * is reported at the start of the value.
   */
  readonly within: number | undefined;
  /**
   * True if a step before this use must set the variable. False if the variable may be unset at
   * this use, so that a step after this use may be the first one that sets it.
   */
  readonly early: boolean;
}

/** State of a plan check: the current path, the names found so far, and the diagnostics. */
export class CheckContext {
  readonly diagnostics: Diagnostic[] = [];
  readonly path: (string | number)[] = [];
  /**
   * Variables that the current flow has set so far, each with the path of the first step that sets
   * it.
   */
  given = new Map<string, Path>();
  /** Variable uses in the current flow that are not preceded by a step that sets the variable. */
  uses: VariableUse[] = [];
  /**
   * Variables that any flow sets, including `setup` and `teardown`, each with the path of a step
   * that sets it.
   */
  readonly everGiven = new Map<string, Path>();
  /** Extracted variables, each with the path of the extractor's `name`. */
  readonly extracted: { readonly name: string; readonly path: Path }[] = [];
  /** Names of all variables that the plan uses, also before they are set. */
  readonly usedNames = new Set<string>();
  /** Variables that the plan's `setup` sets. */
  readonly setupGiven = new Set<string>();
  /** Uses of variables of `setup`, such as `${setup.token}`. */
  readonly setupUses: VariableUse[] = [];
  /** Uses of variables outside flows, such as in default headers. */
  readonly outerUses: VariableUse[] = [];
  /**
   * Columns of each data source examined so far, by the name of the source. Undefined if the
   * columns are unknown.
   */
  readonly columns = new Map<string, readonly string[] | undefined>();
  /**
   * Names of the `group` steps that contain the current path, from the outermost to the innermost.
   */
  readonly groups: string[] = [];
  /**
   * Names of the `websocket` steps that contain the current path, from the outermost to the
   * innermost.
   */
  readonly sockets: string[] = [];
  /**
   * Tags that samples of the plan can have, with the possible values of each. Empty if the plan has
   * no thresholds, because only their check needs it.
   */
  readonly tagValues = new Map<string, Set<string>>();
  readonly #hasThresholds: boolean;
  /** Kinds of the metrics that the plan defines, by name. */
  readonly ownMetrics = new Map<string, MetricKind>();
  /** Number of requests whose URL is relative. */
  relativeUrls = 0;
  readonly plan: unknown;
  readonly files: PlanFiles | undefined;

  constructor(plan: unknown, files?: PlanFiles) {
    this.plan = plan;
    this.#hasThresholds = isMap(plan) && plan.thresholds !== undefined;
    this.files = files;
  }

  /** Adds a diagnostic about the value at the current path. */
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

  /** Records that samples of the plan can have `value` as the value of `tag`. */
  addTagValue(tag: string, value: unknown): void {
    if (!this.#hasThresholds) return;
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
