import { z } from "zod";
import {
  base64,
  exactlyOne,
  exactNumberSchema,
  filePath,
  jsonSchema,
  templateSchema,
} from "../../values/values.ts";

const multipartPart = z.strictObject({
  name: templateSchema.describe("Name of the part"),
  value: templateSchema.optional().describe("Text of the part"),
  file: filePath.optional().describe("File with the content of the part, relative to the plan"),
  base64: base64.optional().describe("Binary content of the part, as Base64"),
  filename: templateSchema.optional().describe("File name to send with the part"),
  content_type: z.string().optional().describe(
    "Content type of the part (default: `application/octet-stream` if it has a file name)",
  ),
}).meta(exactlyOne("value", "file", "base64"));

const formValue = z.union([templateSchema, exactNumberSchema, z.boolean()]);

/** The body of a request: text, or exactly one of the structured kinds. */
export const body = z.union([
  templateSchema,
  z.strictObject({
    json: jsonSchema.meta({
      description: "Value to send as JSON; `${…}` is replaced in its strings",
      kind: "json-template",
    }).optional(),
    form: z.union([
      z.record(z.string(), z.union([formValue, z.array(formValue)])),
      z.array(z.tuple([templateSchema, formValue])),
    ]).optional().describe("Fields of a URL-encoded form, as a map or as a list of pairs"),
    multipart: z.array(multipartPart).optional().describe("Parts of a `multipart/form-data` body"),
    file: filePath.optional().describe("File with the content of the body, relative to the plan"),
    base64: base64.optional().describe("Binary content of the body, as Base64"),
    content_type: z.string().optional().describe(
      "Content type (default: the type that matches the kind of body)",
    ),
  }).meta(exactlyOne("json", "form", "multipart", "file", "base64")),
]);

export type Body = z.infer<typeof body>;
export type MultipartPart = z.infer<typeof multipartPart>;
/** The kinds of bodies: text, or the key of the content in a map. */
export type BodyKind = "text" | Exclude<keyof Exclude<Body, string>, "content_type">;
