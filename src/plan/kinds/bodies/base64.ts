import { base64 as base64Schema } from "../../values/values.ts";
import type { BodyVariant } from "./body.ts";

const schema = base64Schema.optional().meta({
  description: "Binary content of the body, as Base64",
  examples: ["AAEC"],
});

export const base64: BodyVariant<typeof schema> = { schema, files: () => [] };
