import type { Path } from "./diagnostic.ts";

/** Something that keeps a text from being YAML. */
export interface YamlFault {
  /** As the `yaml` package names it, such as `DUPLICATE_KEY`. */
  readonly code: string;
  readonly message: string;
  /** In UTF-16 units from 0. */
  readonly offset: number;
}

/** A text in which the paths of a plan have places. Offsets are UTF-16 units from 0. */
export interface SourceMap {
  readonly faults: readonly YamlFault[];
  /**
   * Where the text or number at a path stands, `within` units into it; of anything else there, or
   * on request, its key's place; of what is not there, that of the nearest thing around it.
   */
  find(path: Path, atKey?: boolean, within?: number): number;
}
