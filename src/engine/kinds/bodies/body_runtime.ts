import type { Body, BodyKind } from "../../../plan/kinds/bodies/bodies.ts";
import type { Rendered } from "../../flow/rendered.ts";
import type { Scope } from "../../flow/scope.ts";

/** Request body that is written as a map in the plan, such as `{ json: … }`. */
export type StructuredBody = Exclude<Body, string>;

/** Content of a body of kind `K`, as written in the plan. */
export type BodyContent<K extends BodyKind> = K extends keyof StructuredBody
  ? Exclude<StructuredBody[K], undefined>
  : string;

/** Compiled body of a request, with its content type. */
export interface CompiledBody {
  readonly content: Rendered<Uint8Array>;
  /**
   * Default value of the Content-Type header. Headers in the plan override it. Undefined if the
   * body has no default content type.
   */
  readonly contentType: string | undefined;
}

/** Compiles bodies of kind `K`. `src/plan/kinds/bodies` defines their syntax. */
export interface BodyRuntime<K extends BodyKind> {
  /** Compiles a body. Throws InputError if a file cannot be read. */
  compile(content: BodyContent<K>, scope: Scope): CompiledBody;
}
