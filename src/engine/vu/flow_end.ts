/** Scope that a flow ends early: the iteration, the VU, its scenario or the whole test. */
export type EndScope = "iteration" | "vu" | "scenario" | "test";

/** Thrown in a flow to end a scope early. It does not count as a failure. */
export class FlowEnd extends Error {
  override readonly name = "FlowEnd";
  readonly scope: EndScope;
  /** False if the iteration had nothing to do and must not be counted. */
  readonly counts: boolean;

  constructor(scope: EndScope, counts = true) {
    super(`the ${scope} ends`);
    this.scope = scope;
    this.counts = counts;
  }
}

/**
 * Thrown if a request cannot be built: a variable is unset, a column is missing, or a URL is
 * invalid.
 */
export class TemplateFault extends Error {
  override readonly name = "TemplateFault";
}
