import type { FunctionVariant } from "./function.ts";

export const uuid = {
  parameters: ["NAME?"],
  description:
    "A random UUID. With a name, it is new in each iteration, and the same wherever an " +
    "iteration uses that name",
  example: "uuid(draft)",
  takesName: true,
} satisfies FunctionVariant;
