import { plural } from "../../base/format.ts";
import { safeJson, safeText } from "../../base/safe_text.ts";
import { type PlanChange, planChanges } from "../../plan/edits/merge_plans.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { hideAllPasswords, hidePasswords } from "../../plan/text/user_info.ts";
import { type Command, EXIT } from "../command/command.ts";
import { choice, command, text, toggle } from "../command/options.ts";
import { readPlan } from "../input/read_documents.ts";
import { loadFacts, planFacts } from "../run/planned_load.ts";

/** Maximum length of a value that is printed, in UTF-16 code units. */
const MAX_VALUE = 100;

export const diffCommand: Command = command({
  name: "diff",
  usage: "BEFORE AFTER [OPTIONS]",
  takes: "files",
  expects: { what: "two plans to compare", min: 2, max: 2 },
  about: [
    "Compares two plans by content. Ignores comments, formatting, the notation of durations, and the " +
    "order of keys and choices. Steps are matched by name, so an added step does " +
    "not affect the others. The first lines compare the load of both plans.",
    "Exit codes: 0 the plans were compared; 1 a plan is invalid or could not be read; 2 the command " +
    "line is invalid; 3 the plans differ (with --strict).",
  ],
  options: {
    format: choice(["text", "json"], {
      default: "text",
      help: "Format of the output; json prints one object per line",
    }),
    env: text({ short: "e", value: "NAME", help: "Apply the overlay NAME to both plans" }),
    strict: toggle({ help: "Exit with code 3 if the plans differ" }),
  },
  needs: [],
  examples: {
    "rehearse diff plan.yaml new.yaml": "Show what changed.",
    "git show main:plan.yaml | rehearse diff - plan.yaml --strict":
      "Fail if the plan differs from the one on the branch `main`.",
  },
  async run({ format, env, strict, args: { positionals: [first, second] } }, io) {
    const before = await readPlan(first, env, io);
    const after = await readPlan(second, env, io);
    if (before === undefined || after === undefined) return EXIT.FAILED;
    const changes = planChanges(before, after);
    io.stdout.write(
      format === "json"
        ? changes.map((change) => safeJson(hideAllPasswords(change)) + "\n").join("")
        : diffText(before, after, changes),
    );
    return strict && changes.length > 0 ? EXIT.STRICT : EXIT.OK;
  },
});

function diffText(before: Plan, after: Plan, changes: readonly PlanChange[]): string {
  const lines = changes.length === 0 ? ["the plans have the same meaning"] : [
    ...loadLines(before, after),
    ...changes.map(changeLine),
    plural(changes.length, "difference"),
  ];
  return lines.map((line) => safeText(hidePasswords(line)) + "\n").join("");
}

function loadLines(before: Plan, after: Plan): string[] {
  const old = new Map(loadFacts(planFacts(before)));
  return loadFacts(planFacts(after)).filter(([name, text]) => old.get(name) !== text)
    .map(([name, text]) => `  ${name.padEnd(10)}${old.get(name)} → ${text}`);
}

function changeLine({ place, before, after }: PlanChange): string {
  if (before === undefined) return `+ ${place}: ${valueText(after)}`;
  if (after === undefined) return `- ${place}: ${valueText(before)}`;
  return `~ ${place}: ${valueText(before)} → ${valueText(after)}`;
}

function valueText(value: unknown): string {
  const shown = hideAllPasswords(value);
  const text = typeof shown === "string" ? shown : JSON.stringify(shown);
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}
