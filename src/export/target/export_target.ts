import type { Note } from "../../convert/notes/note.ts";
import type { Plan } from "../../plan/schema/plan.ts";

/** Options for exporting a plan. */
export interface ExportOptions {
  /** Path of the plan for display, or `standard input`. */
  readonly plan: string;
  /** Version of rehearse to name in the exported file. */
  readonly version: string;
  /** Converts a file path in the plan to a path relative to the exported file. */
  readonly filePath: (path: string) => string;
}

/** Result of an export. */
export interface Exported {
  readonly text: string;
  /** Notes about how the output differs from the plan. */
  readonly notes: readonly Note[];
}

/** A tool to which plans can be exported. */
export interface ExportTarget {
  /** Display name of the tool. */
  readonly title: string;
  /** Extension of the files that the tool reads, without the dot. */
  readonly extension: string;
  /**
   * Returns the command that runs an exported file. `needsBaseUrl` is true if the plan has no
   * target.
   */
  readonly runCommand: (path: string, needsBaseUrl: boolean) => readonly string[];
  readonly exportPlan: (plan: Plan, options: ExportOptions) => Exported;
}
