import type { Body, BodyKind } from "../../../plan/kinds/bodies/bodies.ts";
import { kindsOf } from "../../../plan/values/kinds_of.ts";
import type { Scope } from "../../flow/scope.ts";
import { base64 } from "./base64.ts";
import type { BodyContent, BodyRuntime, CompiledBody } from "./body_runtime.ts";
import { file } from "./file.ts";
import { form } from "./form.ts";
import { json } from "./json_body.ts";
import { multipart } from "./multipart.ts";
import { text } from "./text.ts";

/** Compiler for each kind of body that is written as a map in the plan. */
const STRUCTURED: { readonly [K in Exclude<BodyKind, "text">]: BodyRuntime<K> } = {
  json,
  form,
  multipart,
  file,
  base64,
};

/** Compiles the body of a request. Throws InputError if a file cannot be read. */
export function compileBody(body: Body, scope: Scope): CompiledBody {
  if (typeof body === "string") return text.compile(body, scope);
  const kind = kindsOf(STRUCTURED).find((kind) => body[kind] !== undefined);
  if (kind === undefined) throw new TypeError("the plan was not checked: a body has no content");
  const { content, contentType } = compileStructured(kind, body[kind]!, scope);
  return { content, contentType: body.content_type ?? contentType };
}

function compileStructured<K extends keyof typeof STRUCTURED>(
  kind: K,
  content: BodyContent<K>,
  scope: Scope,
): CompiledBody {
  return STRUCTURED[kind].compile(content, scope);
}
