import type { Step } from "../../../plan/kinds/steps/steps.ts";
import type { Op } from "../../vu/op.ts";
import type { Scope } from "../../flow/scope.ts";

/** Compiles a list of steps. */
export type CompileSteps = (steps: readonly Step[], scope: Scope) => Promise<Op>;
