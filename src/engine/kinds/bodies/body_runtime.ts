import type { Body, BodyKind } from "../../../plan/kinds/bodies/bodies.ts";
import type { Rendered } from "../../flow/rendered.ts";
import type { Scope } from "../../flow/scope.ts";

/** Body that is a map with one kind of content. */
type StructuredBody = Exclude<Body, string>;

/** Content of a body of kind `K`, as written in the plan. */
export type BodyContent<K extends BodyKind> = K extends keyof StructuredBody
  ? Exclude<StructuredBody[K], undefined>
  : string;

/** Compiled body of a request and its content type. */
export interface CompiledBody {
  readonly content: Rendered<Uint8Array>;
  /**
   * Value of the Content-Type header, which the plan's headers override. Undefined if the kind of
   * body implies none.
   */
  readonly contentType: string | undefined;
}

/** Runtime half of a body kind: compiles a body. Throws InputError if a file cannot be read. */
export type BodyRuntime<K extends BodyKind> = (
  content: BodyContent<K>,
  scope: Scope,
) => CompiledBody;
