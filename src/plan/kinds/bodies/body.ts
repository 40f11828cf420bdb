import type { z } from "zod";

/** The language half of a kind of body. */
export interface BodyVariant<Schema extends z.ZodType> {
  /** Schema of the content: of the body itself for `text`, otherwise of the value under the key. */
  readonly schema: Schema;
  /** Returns the paths of the files that the body reads, as written in the plan. */
  files(content: NonNullable<z.infer<Schema>>): string[];
}
