import type * as z from "zod";

/** Definition of a kind of request body in the plan language. `engine/kinds/bodies` compiles it. */
export interface BodyVariant<Schema extends z.ZodType> {
  /**
   * Schema of the content. For `text`, the content is the whole body. For the other kinds, it is
   * the value of the key that is named after the kind, such as `json`.
   */
  readonly schema: Schema;
  /** Returns the paths of the files that the body reads, as written in the plan. */
  files(content: NonNullable<z.infer<Schema>>): string[];
}
