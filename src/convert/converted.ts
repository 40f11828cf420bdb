import type { Plan } from "../plan/schema/plan.ts";
import type { Note } from "./notes/notes.ts";

/** Names of the files that `convert` writes in addition to a plan, for the plan to read. */
export const PLAN_FILES = ["ids", "arrivals", "visits"] as const;

/** A file that `convert` writes in addition to a plan, for the plan to read. */
export type PlanFile = typeof PLAN_FILES[number];

/** A plan made from a recording or a log, and the messages about it. */
export interface Converted {
  readonly plan: Plan;
  /**
   * Comment lines for the top of the plan, without the leading `# `. They state the plan's origin
   * and purpose, and the values that the user still has to set. They contain neither times nor file
   * paths, so that the same input always produces the same plan.
   */
  readonly header: readonly string[];
  readonly notes: readonly Note[];
  readonly files?: Readonly<Partial<Record<PlanFile, string>>>;
  /** One-line summary that `convert` prints last on standard error. */
  readonly summary: string;
}
