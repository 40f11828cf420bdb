import type { TextPlace } from "./line_index.ts";

/** A place in a plan: map keys and list indices (from 0) from the top. */
export type Path = readonly (string | number)[];

/** Something wrong with a plan. `message` and `hint` may hold the plan's text; who prints makes it safe. */
export interface Diagnostic {
  /** Stable and documented in docs/diagnostics.md: lower-case words joined by `-`. */
  readonly code: string;
  /** An error keeps a plan from running; a warning does not. */
  readonly severity: "error" | "warning";
  /** Where; of something missing, where it should stand. Empty for the plan as a whole. */
  readonly path: Path;
  /** What is wrong, what was found and what was expected, in one line. */
  readonly message: string;
  /** What to do about it, such as `did you mean "vus"?`. */
  readonly hint?: string;
  /** The key at the end of `path` is what is wrong, not its value. */
  readonly atKey?: boolean;
  /** Where in the text at `path`, in UTF-16 units from 0. */
  readonly within?: number;
}

/** A diagnostic with its place in the plan's text. */
export interface LocatedDiagnostic extends Diagnostic, TextPlace {}

/** A path as people write it: `scenarios.main.flow[0].request.headers["X-A b"]`. */
export function formatPath(path: Path): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else if (/^[\w-]+$/.test(part)) text += text === "" ? part : `.${part}`;
    else text += `[${JSON.stringify(part)}]`;
  }
  return text;
}
