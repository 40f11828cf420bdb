import * as z from "zod";
import { exactlyOne } from "../../values/rule.ts";
import { kindsOf } from "../../values/kinds_of.ts";
import { shapeOf } from "../../values/schema_walk.ts";
import { base64 } from "./base64.ts";
import type { BodyVariant } from "./body.ts";
import { file } from "./file.ts";
import { form } from "./form.ts";
import { json } from "./json_body.ts";
import { multipart } from "./multipart.ts";
import { text } from "./text.ts";

/**
 * The kinds of bodies that are written as a map, by the key that holds their content. The docs list
 * them in this order.
 */
const STRUCTURED = { json, form, multipart, file, base64 };

/** All kinds of bodies: `text`, and the kinds that are written as a map. */
export const BODIES = { text, ...STRUCTURED };

export type BodyKind = keyof typeof BODIES;

const structured = exactlyOne(
  z.strictObject({
    ...shapeOf(STRUCTURED),
    content_type: z.string().optional().meta({
      description: "Content type (default: the type that matches the kind of body)",
      examples: ["application/vnd.api+json"],
    }),
  }),
  ...kindsOf(STRUCTURED),
);

/** The schema of a request body: text, or a map in which one key such as `json` has the content. */
export const body = z.union([text.schema, structured]);

export type Body = z.infer<typeof body>;

/** Returns the paths of the files that a body reads, as written in the plan. */
export function bodyFiles(body: Body): string[] {
  if (typeof body === "string") return text.files(body);
  return kindsOf(STRUCTURED).flatMap((kind) => {
    const variant: BodyVariant<z.ZodType> = STRUCTURED[kind];
    const content = body[kind];
    return content === undefined || content === null ? [] : variant.files(content);
  });
}
