import * as z from "zod";
import { exactlyOne } from "../../values/rule.ts";
import { base64, filePath, templateSchema } from "../../values/values.ts";
import type { BodyVariant } from "./body.ts";

const part = exactlyOne(
  z.strictObject({
    name: templateSchema.meta({ description: "Name of the part", examples: ["photo"] }),
    value: templateSchema.optional().meta({
      description: "Text content of the part",
      examples: ["${caption}"],
    }),
    file: filePath.optional().meta({
      description: "Path of the file that contains the part, relative to the plan",
      examples: ["cat.jpg"],
    }),
    base64: base64.optional().meta({
      description: "Binary content of the part, as Base64",
      examples: ["AAEC"],
    }),
    filename: templateSchema.optional().meta({
      description: "File name to send for the part",
      examples: ["cat.jpg"],
    }),
    content_type: z.string().optional().meta({
      description:
        "Content type of the part (default: `application/octet-stream` if it has a file name)",
      examples: ["image/jpeg"],
    }),
  }),
  "value",
  "file",
  "base64",
);

/** One part of a `multipart/form-data` body. */
export type MultipartPart = z.infer<typeof part>;

const schema = z.array(part).optional().meta({
  description: "Parts of a `multipart/form-data` body",
  examples: [[{ name: "photo", file: "cat.jpg", content_type: "image/jpeg" }]],
});

export const multipart: BodyVariant<typeof schema> = {
  schema,
  files: (parts) => parts.map(({ file }) => file).filter((file) => file !== undefined),
};
