import { random } from "../../../base/random.ts";
import { type EncodedPart, encodeMultipart } from "../../../http/encode_request.ts";
import type { MultipartPart } from "../../../plan/kinds/bodies/multipart.ts";
import { constant, type Rendered, renderedFrom } from "../../flow/rendered.ts";
import type { Scope } from "../../flow/scope.ts";
import { compileTemplate } from "../../flow/compile_template.ts";
import type { BodyRuntime } from "./body_runtime.ts";

/**
 * `multipart` body: sends parts as `multipart/form-data`. All requests of a step use the same
 * boundary.
 */
export const multipart: BodyRuntime<"multipart"> = {
  compile(parts, scope) {
    const boundary = "rehearse-" + random(parts.length, Date.now()).uuid();
    const compiled = parts.map((part) => compilePart(part, scope));
    return {
      content: renderedFrom(
        compiled,
        (vu) => encodeMultipart(compiled.map((part) => part.render(vu)), boundary),
      ),
      contentType: `multipart/form-data; boundary=${boundary}`,
    };
  },
};

function compilePart(part: MultipartPart, scope: Scope): Rendered<EncodedPart> {
  const name = compileTemplate(part.name, scope);
  const filename = part.filename === undefined
    ? constant(undefined)
    : compileTemplate(part.filename, scope);
  const content = partContent(part, scope);
  return renderedFrom([name, filename, content], (vu) => ({
    name: name.render(vu),
    content: content.render(vu),
    filename: filename.render(vu),
    contentType: part.content_type,
  }));
}

function partContent(
  { value, file, base64 }: MultipartPart,
  scope: Scope,
): Rendered<Uint8Array | string> {
  if (file !== undefined) return constant(scope.readFile(file));
  if (base64 !== undefined) return constant(Uint8Array.fromBase64(base64));
  return compileTemplate(value ?? "", scope);
}
