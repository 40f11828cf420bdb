import type { SchemaNode } from "../values/schema_walk.ts";
import type { TextEdits } from "./text_edits.ts";

/** Collects edits to YAML text that change the values of nodes in the syntax tree of the text. */
export interface Amendment {
  readonly edits: TextEdits;
  /**
   * Edits the text of `node`, whose value is `before`, so that its value becomes `after`. Returns
   * false if it cannot edit the node on its own. The caller must then rewrite the map entry or list
   * item that contains the node. `inFlow` is true within braces or brackets.
   */
  amend(
    node: unknown,
    before: unknown,
    after: unknown,
    schema: SchemaNode | undefined,
    inFlow?: boolean,
  ): boolean;
}
