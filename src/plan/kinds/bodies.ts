import * as z from "zod";
import { checkJsonTemplate } from "../rules/templates.ts";
import { exactlyOne, kindsOf, shapeOf, withRule } from "../values/schema_walk.ts";
import {
  base64,
  exactNumberSchema,
  filePath,
  jsonSchema,
  templateSchema,
} from "../values/values.ts";

/** Definition of a kind of request body in the plan language. `engine/kinds/bodies` compiles it. */
interface BodyVariant<Schema extends z.ZodType> {
  /**
   * Schema of the content. For `text`, the content is the whole body. For the other kinds, it is
   * the value of the key that is named after the kind, such as `json`.
   */
  readonly schema: Schema;
  /** Returns the paths of the files that the body reads, as written in the plan. */
  files?(content: NonNullable<z.infer<Schema>>): string[];
}

function kind<Schema extends z.ZodType>(variant: BodyVariant<Schema>): BodyVariant<Schema> {
  return variant;
}

const formValue = z.union([templateSchema, exactNumberSchema, z.boolean()]);

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

/** Written as a map, by the key of the content. The docs list them in this order. */
const STRUCTURED = {
  json: kind({
    schema: withRule(
      jsonSchema.meta({
        description: "Value to send as JSON; `${…}` in its strings and member names is replaced",
        examples: [{ product: "${id}", quantity: 1 }],
      }),
      { notation: "JSON with templates", check: checkJsonTemplate },
    ).optional(),
  }),
  form: kind({
    schema: z.union([
      z.record(z.string(), z.union([formValue, z.array(formValue)])),
      z.array(z.tuple([templateSchema, formValue])),
    ]).optional().meta({
      description: "Fields of a URL-encoded form",
      examples: [{ user: "ada", password: "${secrets.PASSWORD}" }, [["tag", "new"], [
        "tag",
        "sale",
      ]]],
    }),
  }),
  multipart: kind({
    schema: z.array(part).optional().meta({
      description: "Parts of a `multipart/form-data` body",
      examples: [[{ name: "photo", file: "cat.jpg", content_type: "image/jpeg" }]],
    }),
    files: (parts) => parts.map(({ file }) => file).filter((file) => file !== undefined),
  }),
  file: kind({
    schema: filePath.optional()
      .meta({
        description: "Path of the file that contains the body, relative to the plan",
        examples: ["order.xml"],
      }),
    files: (path) => [path],
  }),
  base64: kind({
    schema: base64.optional().meta({
      description: "Binary content of the body, as Base64",
      examples: ["AAEC"],
    }),
  }),
};

/** All kinds of bodies: `text`, and the kinds that are written as a map. */
export const BODIES = {
  text: kind({
    schema: templateSchema,
  }),
  ...STRUCTURED,
};

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
export const body = z.union([BODIES.text.schema, structured]);

export type Body = z.infer<typeof body>;

/** Returns the paths of the files that a body reads, as written in the plan. */
export function bodyFiles(body: Body): string[] {
  if (typeof body === "string") return [];
  return kindsOf(STRUCTURED).flatMap((kind) => {
    const variant: BodyVariant<z.ZodType> = STRUCTURED[kind];
    const content = body[kind];
    return content === undefined || content === null ? [] : variant.files?.(content) ?? [];
  });
}
