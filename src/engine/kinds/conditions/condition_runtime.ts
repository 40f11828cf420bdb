import type { PartsRead } from "../../../extract/response_view.ts";
import type { Condition, ConditionKind } from "../../../plan/kinds/conditions/conditions.ts";
import type { Scope } from "../../flow/scope.ts";
import type { Vu } from "../../vu/vu.ts";

/** Condition of kind `K` on a response. */
export type ConditionOf<K extends ConditionKind> = Extract<Condition, { type: K }>;

/**
 * Reports whether a compiled condition is true for the last response of a VU. Throws TemplateFault
 * if a template cannot be rendered, and ContentError if the body cannot be decoded.
 */
export type ConditionTest = (vu: Vu) => boolean;

/** Compiles conditions of kind `K`. `src/plan/kinds/conditions` defines their syntax. */
export interface ConditionRuntime<K extends ConditionKind> {
  /** Parts of the response that the condition reads. */
  readonly reads: PartsRead;
  /** Compiles a condition. The returned test is called only if the VU has a response. */
  compile(condition: ConditionOf<K>, scope: Scope): ConditionTest;
}
