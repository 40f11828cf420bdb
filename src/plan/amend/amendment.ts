import type { SchemaNode } from "../values/schema_walk.ts";
import type { TextEdits } from "./text_edits.ts";

/** A change of a YAML text, made of edits of the parts that describe the changed values. */
export interface Amendment {
  readonly edits: TextEdits;
  /**
   * Edits the text of `node`, whose value is `before`, so that its value becomes `after`. Returns false
   * if the entry or item that contains the node must be written again. `inFlow` is true within braces.
   */
  amend(
    node: unknown,
    before: unknown,
    after: unknown,
    schema: SchemaNode | undefined,
    inFlow?: boolean,
  ): boolean;
}
