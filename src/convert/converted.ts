import type { Plan } from "../plan/schema/plan.ts";
import type { Note } from "./note.ts";

/** Result of a conversion. */
export interface Converted {
  readonly plan: Plan;
  /**
   * Comment lines at the top of the plan, without `# `: origin, purpose, and settings to complete. They
   * contain no time and no path, so that the same input makes the same plan.
   */
  readonly header: readonly string[];
  readonly notes: readonly Note[];
  /** The closing line on standard error. */
  readonly summary: string;
}
