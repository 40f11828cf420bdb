import { templateSchema } from "../../values/values.ts";
import type { BodyVariant } from "./body.ts";

export const text: BodyVariant<typeof templateSchema> = {
  schema: templateSchema,
  files: () => [],
};
