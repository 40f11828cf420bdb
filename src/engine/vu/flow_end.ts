/**
 * What a step can end early: the current iteration, its VU, its scenario or the whole run (`test`).
 */
export type EndScope = "iteration" | "vu" | "scenario" | "test";

/** Thrown by a step to end `scope` early. An iteration that ends this way does not fail. */
export class FlowEnd extends Error {
  override readonly name = "FlowEnd";
  readonly scope: EndScope;
  /** False if the iteration has done nothing and must not be counted as completed. */
  readonly counts: boolean;

  constructor(scope: EndScope, counts = true) {
    super(`the ${scope} ends`);
    this.scope = scope;
    this.counts = counts;
  }
}

/** Thrown if a request cannot be built, for example because a variable is not set. */
export class TemplateFault extends Error {
  override readonly name = "TemplateFault";
}

/** Thrown if a variable is not set, or a map does not contain a key. */
export class UnsetVariable extends TemplateFault {
  /** Name of the variable. Undefined if the missing value is not a variable. */
  readonly variable: string | undefined;

  constructor(message: string, variable?: string) {
    super(message);
    this.variable = variable;
  }
}
