import * as z from "zod";
import { exactNumberSchema, templateSchema } from "../../values/values.ts";
import type { BodyVariant } from "./body.ts";

const formValue = z.union([templateSchema, exactNumberSchema, z.boolean()]);

const schema = z.union([
  z.record(z.string(), z.union([formValue, z.array(formValue)])),
  z.array(z.tuple([templateSchema, formValue])),
]).optional().meta({
  description: "Fields of a URL-encoded form, as a map or as a list of pairs",
  examples: [{ user: "ada", password: "${secrets.PASSWORD}" }, [["tag", "new"], ["tag", "sale"]]],
});

export const form: BodyVariant<typeof schema> = { schema, files: () => [] };
