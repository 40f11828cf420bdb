import { constant } from "../../flow/js_value.ts";
import type { BodyWriter } from "./body_writer.ts";

/** Writes `file` bodies as JavaScript. */
export const file: BodyWriter<"file"> = {
  write: (path, { script }) => ({
    content: constant(script.file(path), "any"),
    contentType: undefined,
  }),
};
