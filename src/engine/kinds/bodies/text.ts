import { compileTemplate, encoded } from "../../flow/compile_template.ts";
import type { BodyRuntime } from "./body_runtime.ts";

/** `text` body: sends plain text. */
export const text: BodyRuntime<"text"> = {
  compile: (template, scope) => ({
    content: encoded(compileTemplate(template, scope)),
    contentType: undefined,
  }),
};
