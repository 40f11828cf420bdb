import type { FunctionVariant } from "./function.ts";

export const uuid = {
  parameters: ["NAME?"],
  description: "A random UUID. With a name, it is new in each iteration, and the same everywhere " +
    "in an iteration",
  example: "uuid(draft)",
  takesName: true,
} satisfies FunctionVariant;
