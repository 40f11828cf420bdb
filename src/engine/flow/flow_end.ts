/** How much ends early: the iteration, all of the VU, its scenario, or the test. */
export type EndScope = "iteration" | "vu" | "scenario" | "test";

/** Thrown within a flow to end it early; no error. */
export class FlowEnd extends Error {
  override readonly name = "FlowEnd";
  readonly scope: EndScope;
  /** False when the iteration had nothing to do: it then counts for none. */
  readonly counts: boolean;

  constructor(scope: EndScope, counts = true) {
    super(`the ${scope} ends`);
    this.scope = scope;
    this.counts = counts;
  }
}

/** A request cannot be made: a variable is unset, a column is missing, a URL is none. */
export class TemplateFault extends Error {
  override readonly name = "TemplateFault";
}
