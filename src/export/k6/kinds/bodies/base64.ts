import { constant } from "../../flow/js_value.ts";
import { base64Literal } from "../../js/literal.ts";
import type { BodyWriter } from "./body_writer.ts";

/** Writes `base64` bodies as JavaScript. */
export const base64: BodyWriter<"base64"> = {
  write: (text, { script }) => ({
    content: constant(
      `${script.import("k6/encoding", "b64decode")}(${base64Literal(text)})`,
      "any",
    ),
    contentType: undefined,
  }),
};
