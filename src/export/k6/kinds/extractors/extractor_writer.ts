import type { Extractor, ExtractorKind } from "../../../../plan/kinds/extractors.ts";
import type { FlowScope } from "../../flow/flow_scope.ts";

/** Extractor of kind `K`, as written in the plan. */
export type ExtractorOf<K extends ExtractorKind> = Extract<Extractor, { type: K }>;

/** JavaScript code that finds values in a response. */
export interface Found {
  /** Code for the list of all values. */
  readonly all: string;
  /** Code for the first value. If undefined, the script uses the first item of `all`. */
  readonly first?: string;
}

/**
 * Writes extractors of kind `K` as JavaScript. `src/plan/kinds/extractors` defines their syntax.
 */
export interface ExtractorWriter<K extends ExtractorKind> {
  /**
   * Returns JavaScript code that finds values in the response in the variable `response`. Returns
   * undefined if k6 cannot find the values.
   */
  write(extractor: ExtractorOf<K>, response: string, scope: FlowScope): Found | undefined;
}
