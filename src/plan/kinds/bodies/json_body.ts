import { checkJsonTemplate } from "../../rules/templates.ts";
import { withRule } from "../../values/rule.ts";
import { jsonSchema } from "../../values/values.ts";
import type { BodyVariant } from "./body.ts";

const schema = withRule(
  jsonSchema.meta({
    description: "Value to send as JSON; `${…}` in its strings and member names is replaced",
    examples: [{ product: "${id}", quantity: 1 }],
  }),
  { notation: "any JSON, with `${…}` in strings and names", check: checkJsonTemplate },
).optional();

export const json: BodyVariant<typeof schema> = { schema, files: () => [] };
