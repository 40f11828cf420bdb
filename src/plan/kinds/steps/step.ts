import type { z } from "zod";

/** The language half of a kind of step. */
export interface StepVariant {
  /** Schema of the value under the key of the kind. It contains the lists of nested steps, if any. */
  readonly schema: z.ZodType;
  /** What the step does, in the imperative. */
  readonly description: string;
}

/** Returns a function that calls `create` once and then returns the same result. */
export function once<Result>(create: () => Result): () => Result {
  let result: { readonly value: Result } | undefined;
  return () => (result ??= { value: create() }).value;
}
