/** Location of a value in a response. */
export type ValuePlace =
  /** A leaf of a JSON body, or text within the leaf if `within` is true. */
  | {
    readonly in: "json";
    readonly path: readonly (string | number)[];
    readonly within: boolean;
  }
  /** Text of a body. Offsets are in UTF-16 code units of the recorded and the live body. */
  | { readonly in: "text"; readonly at: number; readonly liveAt: number }
  /** A response header; `name` is in lower case. */
  | { readonly in: "header"; readonly name: string }
  /** A cookie that the response sets. */
  | { readonly in: "cookie"; readonly name: string };

/**
 * A recorded value, the live value that the server generated instead, and where both occur in the
 * response.
 */
export interface ValuePair {
  readonly recorded: string;
  readonly live: string;
  readonly place: ValuePlace;
  /**
   * Name of the JSON member, form field, parameter, header or cookie that contains the value. Empty
   * if it has no name.
   */
  readonly name: string;
  /**
   * True if responses can have the same values at different locations, as in a list or in the text
   * of a page. If so, a recorded value that occurs elsewhere in the live response has only moved.
   */
  readonly mayMove: boolean;
}
