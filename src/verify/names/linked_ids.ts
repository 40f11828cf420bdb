import type { Exchange } from "../../traffic/har/recording.ts";

/** What the links in responses show about the value of a parameter. */
interface Linked {
  readonly first: Exchange;
  /**
   * True if the first response that contains the value redirects to a link with the value, and
   * responds to a write whose request does not contain the value.
   */
  readonly isCreated: boolean;
  /** True if a response other than that of `first` also links to the value. */
  isRepeated: boolean;
  /**
   * True if the response to another write redirects to a link with the value, although the request
   * of that write does not contain the value.
   */
  isShared: boolean;
}

/**
 * Index of link parameters that may be ids although their names do not suggest it, such as
 * `viewtopic.php?t=386`.
 */
export class LinkedIds {
  readonly #linked = new Map<string, Linked>();

  /**
   * Adds a link that the response of `exchange` contains. `key` identifies the value in the link.
   * `isTarget` is true if the response redirects to the link. `isSent` is true if the request
   * contains the value.
   */
  add(key: string, exchange: Exchange, isTarget: boolean, isSent: boolean): void {
    const isCreated = isTarget && !isSent && isUnsafe(exchange);
    const known = this.#linked.get(key);
    if (known === undefined) {
      this.#linked.set(key, { first: exchange, isCreated, isRepeated: false, isShared: false });
    } else if (known.first !== exchange) {
      known.isRepeated = true;
      known.isShared ||= isCreated;
    }
  }

  /**
   * Reports whether a value is probably the id of an object that a write created: the write
   * redirects to it, and a later response links to it again. Returns false if another write also
   * redirects to it, because the value is then probably something else, such as the number of a
   * message.
   */
  isCreated(key: string): boolean {
    const linked = this.#linked.get(key);
    return linked !== undefined && linked.isCreated && linked.isRepeated && !linked.isShared;
  }
}

/**
 * Returns the `Location` header of a response as written, or undefined if the response has none.
 */
export function locationOf({ response }: Exchange): string | undefined {
  return response.headers.find(({ name }) => name.toLowerCase() === "location")?.value;
}

function isUnsafe({ request }: Exchange): boolean {
  return !["GET", "HEAD", "OPTIONS"].includes(request.method.toUpperCase());
}
