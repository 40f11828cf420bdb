import type { FunctionVariant } from "./function.ts";

export const urlEncode = {
  parameters: ["text"],
  description: "The text, percent-encoded for a path segment, a query or a form",
  example: `url_encode("a b&c")`,
  result: "a%20b%26c",
} satisfies FunctionVariant;
