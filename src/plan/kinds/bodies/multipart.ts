import { z } from "zod";
import { exactlyOne } from "../../values/rule.ts";
import { base64, filePath, templateSchema } from "../../values/values.ts";
import type { BodyVariant } from "./body.ts";

const part = exactlyOne(
  z.strictObject({
    name: templateSchema.describe("Name of the part"),
    value: templateSchema.optional().describe("Text content of the part"),
    file: filePath.optional().describe(
      "Path of the file that contains the part, relative to the plan",
    ),
    base64: base64.optional().describe("Binary content of the part, as Base64"),
    filename: templateSchema.optional().describe("File name to send for the part"),
    content_type: z.string().optional().describe(
      "Content type of the part (default: `application/octet-stream` if it has a file name)",
    ),
  }),
  "value",
  "file",
  "base64",
);

/** One part of a `multipart/form-data` body. */
export type MultipartPart = z.infer<typeof part>;

const schema = z.array(part).optional().describe("Parts of a `multipart/form-data` body");

export const multipart: BodyVariant<typeof schema> = {
  schema,
  files: (parts) => parts.map(({ file }) => file).filter((file) => file !== undefined),
};
