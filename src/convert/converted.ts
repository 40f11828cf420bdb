import type { Plan } from "../plan/schema/plan.ts";
import type { Note } from "./notes/notes.ts";

/** Files that `convert` writes for the plan to read. */
export const PLAN_FILES = ["ids", "arrivals", "visits"] as const;

/** A file that `convert` writes for the plan to read. */
export type PlanFile = typeof PLAN_FILES[number];

/** A plan made from a recording or a log, and the messages about it. */
export interface Converted {
  readonly plan: Plan;
  /** Comment lines for the top of the plan, the same for the same input. */
  readonly header: readonly string[];
  readonly notes: readonly Note[];
  readonly files?: Readonly<Partial<Record<PlanFile, string>>>;
  /** The last line on standard error. */
  readonly summary: string;
}
