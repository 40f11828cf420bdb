import type { FunctionVariant } from "./function.ts";

export const json = {
  parameters: ["value"],
  description: "The value as JSON",
  example: 'json("say \\"hi\\"")',
  result: '"say \\"hi\\""',
} satisfies FunctionVariant;
