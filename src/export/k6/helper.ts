/** A k6 module and a name to import from it. The name `default` imports the whole module. */
export type Import = readonly [module: string, name: string];

/** A function that a script defines only if the script calls it. */
export interface Helper {
  /** JavaScript source of the function, with a comment that describes it. */
  readonly source: string;
  /** Other helpers that the function calls. */
  readonly uses?: readonly string[];
  readonly imports?: readonly Import[];
}
