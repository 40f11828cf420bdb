/** Modules of k6 from which a script imports names, and the names. `default` is the whole module. */
export type Import = readonly [module: string, name: string];

/** A function that a script defines if it uses it. */
export interface Helper {
  /** Source of the function, with a comment that describes it. */
  readonly source: string;
  /** Other helpers that the function calls. */
  readonly uses?: readonly string[];
  readonly imports?: readonly Import[];
}
