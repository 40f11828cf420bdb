import type { Plan } from "../plan/schema/plan.ts";
import type { Note } from "./notes/note.ts";

/** A plan made from a recording or a log, and the messages about it. */
export interface Converted {
  readonly plan: Plan;
  /**
   * Comment lines for the top of the plan, without the leading `# `. They state the plan's origin and
   * purpose, and the settings that the user has to complete. They contain neither times nor paths, so
   * that the same input always gives the same plan.
   */
  readonly header: readonly string[];
  readonly notes: readonly Note[];
  /** Summary that `convert` prints last on standard error; one line. */
  readonly summary: string;
}
