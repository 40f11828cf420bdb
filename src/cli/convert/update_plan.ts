import { InputError } from "../../base/errors.ts";
import { plural } from "../../base/format.ts";
import type { Note } from "../../convert/notes/notes.ts";
import { amendPlanText } from "../../plan/edits/amend_plan.ts";
import { type MergeConflict, mergePlans } from "../../plan/edits/merge_plans.ts";
import { planChanges } from "../../plan/edits/plan_changes.ts";
import { lostComments, withNewHead } from "../../plan/edits/text_edits.ts";
import { loadPlan } from "../../plan/load_plan.ts";
import { printPlan } from "../../plan/print.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { hideAllPasswords } from "../../plan/text/user_info.ts";
import { readDocument } from "../input/read_documents.ts";

export interface UpdatedPlan {
  readonly text: string;
  readonly notes: readonly Note[];
  readonly summary: string;
}

/**
 * Merges the edited plan at `path` with `converted`, the text of the new conversion. Keeps the
 * comments of the edited plan. `base` is the path of the unedited plan that the earlier conversion
 * wrote. Returns undefined if there is no plan at `path`. Throws InputError if a file cannot be
 * read or the result is invalid.
 */
export async function updatePlan(
  path: string,
  base: string,
  converted: string,
): Promise<UpdatedPlan | undefined> {
  const edited = await readText(path);
  if (edited === undefined) return undefined;
  const original = await readText(base);
  if (original === undefined) {
    throw new InputError(
      `cannot distinguish your edits from the previous conversion: ${base} does not exist; add ` +
        "`--base FILE`, the unedited plan from the previous conversion",
      { source: path },
    );
  }
  const plans = {
    base: parse(original, base),
    edited: parse(edited, path),
    converted: parse(converted, "the new conversion"),
  };
  const { plan, conflicts } = mergePlans(plans.base, plans.edited, plans.converted);
  const amended = amendPlanText(edited, plan);
  const text = withNewHead(amended ?? printPlan(plan, []), original, converted);
  const { diagnostics } = loadPlan(text);
  const fault = diagnostics.find(({ severity }) => severity === "error");
  if (fault !== undefined) {
    throw new InputError(
      `your edits cannot be applied to the new conversion: ${fault.message}; nothing was written. Change ` +
        "your edits, then update again",
      { source: path, line: fault.line, column: fault.column },
    );
  }
  const [taken, kept] = [
    planChanges(plans.edited, plan).length,
    planChanges(plans.base, plans.edited).length,
  ];
  return {
    text,
    notes: [
      ...conflicts.map((conflict) => conflictNote(conflict)),
      ...lostComments(original, edited, text).map((comment): Note => ({
        code: "edit-conflict",
        subject: "comment",
        message: `the new conversion removed the lines that your comment ${shown(comment)} ` +
          "was attached to",
      })),
    ],
    summary: `updated ${path}: ${plural(taken, "change")} from the new conversion, ` +
      `${plural(kept, "edit")} kept, ${plural(conflicts.length, "conflict")}` +
      (amended === undefined
        ? "; your comments were lost: the plan's YAML could not be edited in place, for example " +
          "because it contains an anchor"
        : ""),
  };
}

function conflictNote({ place, edited, converted }: MergeConflict): Note {
  const kept = edited === undefined ? "you removed it" : `kept your ${shown(edited)}`;
  const other = converted === undefined
    ? "the new conversion does not have it"
    : `the new conversion has ${shown(converted)}`;
  return { code: "edit-conflict", subject: place, message: `${kept}, but ${other}` };
}

/** Maximum length of a value in a warning, in UTF-16 code units. */
const MAX_SHOWN = 80;

function shown(value: unknown): string {
  const text = JSON.stringify(hideAllPasswords(value));
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** Reads a file. Returns undefined if it does not exist. */
async function readText(path: string): Promise<string | undefined> {
  try {
    Deno.statSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
  return await readDocument(path);
}

function parse(text: string, source: string): Plan {
  const { plan, diagnostics } = loadPlan(text);
  if (plan !== undefined) return plan;
  const { message, line, column } = diagnostics.find(({ severity }) => severity === "error")!;
  throw new InputError(message, { source, line, column });
}
