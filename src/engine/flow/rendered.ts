import type { Vu } from "../vu/vu.ts";

/**
 * Compiled value that a flow uses in its steps. It is either constant or built for a VU each time
 * it is used, for example because its template contains a variable.
 *
 * Most requests are constant. A constant request is one object, so that the HTTP client encodes it
 * once (bench: scripts/bench/engine.ts, plain, -16 % CPU; see docs/decisions/0001-http-client.md).
 */
export interface Rendered<T> {
  /** True if `render` returns the same value for every VU and iteration. */
  readonly constant: boolean;
  /**
   * Returns the value for a VU. Throws TemplateFault if it cannot be built, for example because a
   * variable is not set. Throws FlowEnd if a data source has no rows left. Constants never throw.
   */
  readonly render: (vu: Vu) => T;
}

/** Wraps a constant value. */
export function constant<T>(value: T): Rendered<T> {
  return { constant: true, render: () => value };
}

/** Wraps a function that builds the value each time the value is used. */
export function varying<T>(render: (vu: Vu) => T): Rendered<T> {
  return { constant: false, render };
}

/**
 * Combines `parts` with `build`. If all parts are constant, `build` is called once, and the result
 * is constant. Otherwise, `build` is called each time the result is used. `build` must use its VU
 * only to render parts.
 */
export function renderedFrom<T>(
  parts: readonly Rendered<unknown>[],
  build: (vu: Vu) => T,
): Rendered<T> {
  return parts.every((part) => part.constant) ? constant(build(NO_VU)) : varying(build);
}

/** Returns the value of a constant, or undefined if the value varies. */
export function constantValue<T>({ constant, render }: Rendered<T>): T | undefined {
  return constant ? render(NO_VU) : undefined;
}

/** Placeholder for the VU when rendering constants, which ignore it. */
const NO_VU = undefined as unknown as Vu;
