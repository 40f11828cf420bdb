/** Most elements open at once. Browsers flatten what is nested deeper than 512. */
export const MAX_OPEN_ELEMENTS = 1_000;
/** Most elements, texts and comments in a page. */
export const MAX_NODES = 1_000_000;
/** Most nodes, attributes included, of a page for XPath, whose library takes quadratic time. */
export const MAX_XPATH_NODES = 100_000;
/** Most milliseconds for evaluating an expression on a page. */
export const MAX_MS = 1_000;

/** A page or an expression exceeds a limit. */
export class MarkupError extends Error {
  override readonly name = "MarkupError";
}

/**
 * Counts what a parser finds. The parser searches its open elements at each tag, so parsing takes
 * linear time only while their number is bounded. Methods throw MarkupError.
 */
export class MarkupLimits {
  #depth = 0;
  #nodes = 0;

  /** Counts an opened element. */
  open(): void {
    if (++this.#depth <= MAX_OPEN_ELEMENTS) return;
    throw new MarkupError(`the markup is nested deeper than ${MAX_OPEN_ELEMENTS} elements`);
  }

  /** Counts a closed element. */
  close(): void {
    this.#depth--;
  }

  /** Counts a node. */
  add(): void {
    if (++this.#nodes <= MAX_NODES) return;
    throw new MarkupError(`the page has more than ${MAX_NODES} elements and texts`);
  }
}

/** Steps between two looks at the time. */
const STEPS_PER_LOOK = 256;

/** Bounds the time for evaluating a selector or an XPath expression, which can be quadratic. */
export class TimeLimit {
  #steps = 0;
  #endsAt = performance.now() + MAX_MS;

  /** Starts another evaluation. */
  restart(): void {
    this.#endsAt = performance.now() + MAX_MS;
  }

  /** Counts a step from a node to another. Throws MarkupError when the time is over. */
  step(): void {
    if (++this.#steps % STEPS_PER_LOOK > 0 || performance.now() < this.#endsAt) return;
    throw new MarkupError(`the expression takes more than ${MAX_MS} ms on this page`);
  }
}
