import type * as z from "zod";

/** Definition of a kind of step in the plan language. `engine/kinds/steps` compiles it. */
export interface StepVariant {
  /**
   * Schema of the value under the key that names the kind, such as `request`. `stepLists` uses it
   * to find nested steps.
   */
  readonly schema: z.ZodType;
  /** Description of the kind in the docs and the JSON Schema, in the imperative. */
  readonly description: string;
  /**
   * Returns the URL (a template) to which a step of this kind connects. Undefined if the step
   * itself sends nothing.
   */
  readonly url: ((value: never) => string) | undefined;
}
