import type { Plan } from "../plan/schema/plan.ts";
import type { Note } from "./note.ts";

/** What a conversion gives: the plan, the comment lines that open it, and what to warn of. */
export interface Converted {
  readonly plan: Plan;
  /** Comment lines without `# `: made from what, when to use it, what is left to set. No clock, no path. */
  readonly header: readonly string[];
  readonly notes: readonly Note[];
  /** The closing line on standard error. */
  readonly summary: string;
}
