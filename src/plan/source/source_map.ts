import type { Path } from "../rules/diagnostic.ts";

/** A syntax error in YAML text. */
export interface YamlFault {
  /** Error code of the `yaml` package, such as `DUPLICATE_KEY`. */
  readonly code: string;
  readonly message: string;
  /** Zero-based offset of the error in the text, in UTF-16 code units. */
  readonly offset: number;
}

/** Finds the values of a plan in its YAML text. Offsets are zero-based, in UTF-16 code units. */
export interface SourceMap {
  readonly faults: readonly YamlFault[];
  /**
   * Returns the offset at which to report a diagnostic. For a scalar at `path`, this is the start
   * of the value plus `within`. For a map or a list, or if `atKey` is true, this is the start of
   * the key. If the plan has no value at `path`, this is the start of the nearest enclosing entry.
   */
  find(path: Path, atKey?: boolean, within?: number): number;
}
