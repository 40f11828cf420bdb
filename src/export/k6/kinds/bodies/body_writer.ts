import type { Body, BodyKind } from "../../../../plan/kinds/bodies.ts";
import type { FlowScope } from "../../flow/flow_scope.ts";
import type { Js } from "../../flow/js_value.ts";

/** Request body that is written as a map in the plan. */
export type StructuredBody = Exclude<Body, string>;

/** Content of a body of kind `K`, as written in the plan. */
export type BodyContent<K extends BodyKind> = K extends keyof StructuredBody
  ? Exclude<StructuredBody[K], undefined>
  : string;

/** JavaScript code for a request body, and for the default content type of the body. */
export interface BodyCode {
  readonly content: Js;
  /** Code for the default content type. Undefined if this kind of body has no default. */
  readonly contentType: string | undefined;
}

/** Writes bodies of kind `K` as JavaScript. `src/plan/kinds/bodies` defines their syntax. */
export interface BodyWriter<K extends BodyKind> {
  write(content: BodyContent<K>, scope: FlowScope): BodyCode;
}
