import type { FunctionVariant } from "./function.ts";

export const hex = {
  parameters: ["text"],
  description: "The UTF-8 bytes of the text as hexadecimal digits",
  example: `hex("abc")`,
  result: "616263",
} satisfies FunctionVariant;
