/** Maximum nesting depth of elements. Browsers flatten elements nested deeper than 512. */
export const MAX_OPEN_ELEMENTS = 1_000;
/** Maximum number of nodes in a page: elements, text nodes and comments. */
export const MAX_NODES = 1_000_000;
/**
 * Maximum number of nodes, including attributes, in a page that is searched with XPath. The XPath
 * library takes quadratic time.
 */
export const MAX_XPATH_NODES = 100_000;
/** Maximum time for evaluating a CSS selector or an XPath expression on a page, in milliseconds. */
export const MAX_MS = 1_000;

/** Error for a page or an expression that exceeds a limit. */
export class MarkupError extends Error {
  override readonly name = "MarkupError";
}

/**
 * Limits the nesting depth and the number of nodes of a page while it is being parsed. The parser
 * searches the open elements at each tag, so parsing takes linear time only if the nesting depth is
 * limited.
 */
export class MarkupLimits {
  #depth = 0;
  #nodes = 0;

  /** Counts an opened element. Throws MarkupError if more than `MAX_OPEN_ELEMENTS` are open. */
  open(): void {
    if (++this.#depth <= MAX_OPEN_ELEMENTS) return;
    throw new MarkupError(`the markup is nested deeper than ${MAX_OPEN_ELEMENTS} elements`);
  }

  /** Records that an open element was closed. */
  close(): void {
    this.#depth--;
  }

  /** Counts a node. Throws MarkupError if the page has more than `MAX_NODES` nodes. */
  add(): void {
    if (++this.#nodes <= MAX_NODES) return;
    throw new MarkupError(`the page has more than ${MAX_NODES} elements, text nodes and comments`);
  }
}

/** Number of steps from node to node between two checks of the time limit. */
const STEPS_PER_CHECK = 256;

/**
 * Limits the time for evaluating a CSS selector or an XPath expression, which can be quadratic in
 * the size of the page.
 */
export class TimeLimit {
  #steps = 0;
  #endsAt = performance.now() + MAX_MS;

  /** Restarts the time limit before another evaluation. */
  restart(): void {
    this.#endsAt = performance.now() + MAX_MS;
  }

  /** Counts a step from node to node. Throws MarkupError if the time limit is exceeded. */
  step(): void {
    if (++this.#steps % STEPS_PER_CHECK > 0 || performance.now() < this.#endsAt) return;
    throw new MarkupError(`the expression takes more than ${MAX_MS} ms on this page`);
  }
}
