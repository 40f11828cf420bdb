import { filePath } from "../../values/values.ts";
import type { BodyVariant } from "./body.ts";

const schema = filePath.optional()
  .meta({
    description: "Path of the file that contains the body, relative to the plan",
    examples: ["order.xml"],
  });

export const file: BodyVariant<typeof schema> = { schema, files: (path) => [path] };
