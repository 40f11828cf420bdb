import type { PartsRead } from "../../../extract/response_view.ts";
import type { Condition, ConditionKind } from "../../../plan/kinds/conditions/conditions.ts";
import type { Scope } from "../../flow/scope.ts";
import type { Vu } from "../../vu/vu.ts";

/** Condition on a response, of the kind `K`. */
export type ConditionOf<K extends ConditionKind> = Extract<Condition, { type: K }>;

/**
 * Compiled condition: reports whether it is true for the last response of a VU. Throws
 * TemplateFault if a template cannot be rendered, and ContentError if the body cannot be decoded.
 */
export type ConditionTest = (vu: Vu) => boolean;

/** Runtime half of a kind of condition. `src/plan/kinds/conditions` contains the language half. */
export interface ConditionRuntime<K extends ConditionKind> {
  /** Parts of the response that the condition reads. */
  readonly reads: PartsRead;
  /** Compiles a condition. The returned test is called only if the VU has a response. */
  compile(condition: ConditionOf<K>, scope: Scope): ConditionTest | Promise<ConditionTest>;
}
