import type { Body, BodyKind } from "../../../../plan/kinds/bodies.ts";
import { kindsOf } from "../../../../plan/values/kinds_of.ts";
import type { FlowScope } from "../../flow/flow_scope.ts";
import { stringLiteral } from "../../js/literal.ts";
import { base64 } from "./base64.ts";
import type { BodyCode, BodyContent, BodyWriter } from "./body_writer.ts";
import { file } from "./file.ts";
import { form } from "./form.ts";
import { json } from "./json_body.ts";
import { multipart } from "./multipart.ts";
import { text } from "./text.ts";

/** Writer for each kind of body that is written as a map in the plan. */
const STRUCTURED: { readonly [K in Exclude<BodyKind, "text">]: BodyWriter<K> } = {
  json,
  form,
  multipart,
  file,
  base64,
};

/** Returns the JavaScript code for the body of a request. */
export function bodyCode(body: Body, scope: FlowScope): BodyCode {
  if (typeof body === "string") return text.write(body, scope);
  const kind = kindsOf(STRUCTURED).find((kind) => body[kind] !== undefined);
  if (kind === undefined) throw new TypeError("the plan was not checked: a body has no content");
  const { content, contentType } = writeStructured(kind, body[kind]!, scope);
  const given = body.content_type;
  return { content, contentType: given === undefined ? contentType : stringLiteral(given) };
}

function writeStructured<K extends keyof typeof STRUCTURED>(
  kind: K,
  content: BodyContent<K>,
  scope: FlowScope,
): BodyCode {
  return STRUCTURED[kind].write(content, scope);
}
