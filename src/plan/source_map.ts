import type { Path } from "./diagnostic.ts";

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
   * Returns the offset of the value at `path`, plus `within`, if the value is a scalar. Returns the
   * offset of the key for other values and with `atKey`. Returns the offset of the nearest enclosing
   * entry if the path does not exist.
   */
  find(path: Path, atKey?: boolean, within?: number): number;
}
