import { constant } from "../../flow/js_value.ts";
import { templateCode } from "../../flow/template_code.ts";
import type { BodyWriter } from "./body_writer.ts";

/** Writes `text` bodies as JavaScript. */
export const text: BodyWriter<"text"> = {
  write: (template, scope) => ({
    // k6 sends an empty string with chunked encoding.
    content: template === "" ? constant("null", "scalar") : templateCode(template, scope),
    contentType: undefined,
  }),
};
