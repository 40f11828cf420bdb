import type { FunctionVariant } from "./function.ts";

export const uuid = {
  parameters: ["NAME?"],
  description:
    "A random UUID. With a name, each iteration generates one UUID and uses it in every call " +
    "with that name",
  example: "uuid(draft)",
  takesName: true,
} satisfies FunctionVariant;
