import { asText } from "../../../base/exact_json.ts";
import { encodeForm } from "../../../http/encode_request.ts";
import { renderedFrom } from "../../flow/rendered.ts";
import { compileTemplate, encoded } from "../../flow/compile_template.ts";
import type { BodyRuntime } from "./body_runtime.ts";

/** `form` body: sends the fields of a form, URL-encoded. */
export const form: BodyRuntime<"form"> = {
  compile(fields, scope) {
    const pairs = Array.isArray(fields)
      ? fields
      : Object.entries(fields).flatMap(([name, value]) =>
        (Array.isArray(value) ? value : [value]).map((item) => [name, item] as const)
      );
    const compiled = pairs.map(([name, value]) =>
      [compileTemplate(name, scope), compileTemplate(asText(value), scope)] as const
    );
    const text = renderedFrom(
      compiled.flat(),
      (vu) => encodeForm(compiled.map(([name, value]) => [name.render(vu), value.render(vu)])),
    );
    return { content: encoded(text), contentType: "application/x-www-form-urlencoded" };
  },
};
