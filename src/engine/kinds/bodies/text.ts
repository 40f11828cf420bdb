import { compileTemplate, encoded } from "../../flow/compile_template.ts";
import type { BodyRuntime } from "./body_runtime.ts";

/** Sends a text. */
export const text: BodyRuntime<"text"> = (template, scope) => ({
  content: encoded(compileTemplate(template, scope)),
  contentType: undefined,
});
