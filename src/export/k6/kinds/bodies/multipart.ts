import { constant, type Js, operation } from "../../flow/js_value.ts";
import type { FlowScope } from "../../flow/flow_scope.ts";
import { templateCode } from "../../flow/template_code.ts";
import { callCode, listCode, type Member, objectCode } from "../../js/code_layout.ts";
import { base64Literal, stringLiteral } from "../../js/literal.ts";
import type { MultipartPart } from "../../../../plan/kinds/bodies.ts";
import type { BodyWriter } from "./body_writer.ts";

/** Writes `multipart` bodies as JavaScript. */
export const multipart: BodyWriter<"multipart"> = {
  write(parts, scope) {
    const written = parts.map((part) => partCode(part, scope));
    const code = callCode(scope.script.use("multipart"), [
      listCode(written.map(({ code }) => code)),
    ]);
    return {
      content: operation(code, written, "any"),
      contentType: "`multipart/form-data; boundary=${BOUNDARY}`",
    };
  },
};

function partCode(part: MultipartPart, scope: FlowScope): Js {
  const name = templateCode(part.name, scope);
  const content = contentCode(part, scope);
  const filename = part.filename === undefined ? undefined : templateCode(part.filename, scope);
  const members: Member[] = [["name", name.code], ["content", content.code]];
  if (filename !== undefined) members.push(["filename", filename.code]);
  const type = part.content_type?.replace(/[\r\n]/g, " ");
  if (type !== undefined) members.push(["type", stringLiteral(type)]);
  return operation(objectCode(members), [name, content, ...filename ? [filename] : []], "any");
}

function contentCode({ value = "", file, base64 }: MultipartPart, scope: FlowScope): Js {
  const { script } = scope;
  if (file !== undefined) return constant(script.file(file), "any");
  if (base64 !== undefined) {
    return constant(
      `${script.import("k6/encoding", "b64decode")}(${base64Literal(base64)})`,
      "any",
    );
  }
  return templateCode(value, scope);
}
