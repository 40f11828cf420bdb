import type { Path } from "../rules/diagnostic.ts";

/** A reason why a text is not valid YAML. */
export interface YamlFault {
  /** Error code of the `yaml` package, such as `DUPLICATE_KEY`. */
  readonly code: string;
  readonly message: string;
  /** Offset in the text, in UTF-16 units from 0. */
  readonly offset: number;
}

/** Maps the paths of a plan to offsets in its text, in UTF-16 units from 0. */
export interface SourceMap {
  readonly faults: readonly YamlFault[];
  /**
   * Returns the offset at which to report a diagnostic. For a scalar at `path`, this is the start of the
   * value plus `within`. With `atKey`, and for maps and lists, it is the start of the key. If `path`
   * does not exist, it is the start of the nearest enclosing entry.
   */
  find(path: Path, atKey?: boolean, within?: number): number;
}
