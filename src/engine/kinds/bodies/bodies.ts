import type { Body } from "../../../plan/kinds/bodies/bodies.ts";
import type { Scope } from "../../flow/scope.ts";
import { compileTemplate, encoded } from "../../flow/template.ts";
import { base64 } from "./base64.ts";
import type { BodyContent, BodyKind, BodyRuntime, CompiledBody } from "./body_runtime.ts";
import { file } from "./file.ts";
import { form } from "./form.ts";
import { json } from "./json.ts";
import { multipart } from "./multipart.ts";

/** Runtime half of each kind of structured body. */
const BODIES: { readonly [K in BodyKind]: BodyRuntime<K> } = {
  json,
  form,
  multipart,
  file,
  base64,
};

/** Compiles a request's body. Throws InputError if a file cannot be read. */
export function compileBody(body: Body, scope: Scope): CompiledBody {
  if (typeof body === "string") {
    return { content: encoded(compileTemplate(body, scope)), contentType: undefined };
  }
  const kind = (Object.keys(BODIES) as BodyKind[]).find((kind) => body[kind] !== undefined);
  if (kind === undefined) throw new TypeError("the plan was not checked: a body has no content");
  const { content, contentType } = compileKind(kind, body[kind]!, scope);
  return { content, contentType: body.content_type ?? contentType };
}

function compileKind<K extends BodyKind>(kind: K, content: BodyContent<K>, scope: Scope) {
  return BODIES[kind](content, scope);
}
