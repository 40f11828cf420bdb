import { InputError } from "../../base/errors.ts";
import { plural } from "../../base/format.ts";
import { safeText } from "../../base/safe_text.ts";
import { allFlows, countSent, describeSent } from "../../plan/kinds/list_requests.ts";
import { type Plan, planJsonSchema } from "../../plan/schema/plan.ts";
import { type Command, EXIT } from "../command/command.ts";
import { choice, command, toggle } from "../command/options.ts";
import { type CheckedPlan, checkPlan } from "../input/read_documents.ts";
import {
  commandLine,
  DIAGNOSTIC_FORMATS,
  formatDiagnostics,
  printNext,
} from "../output/messages.ts";
import type { Io } from "../system/io.ts";

export const validateCommand: Command = command({
  name: "validate",
  usage: "FILE... [OPTIONS]",
  takes: "files",
  expects: { what: "a plan to check, or - for standard input", max: Infinity },
  about: [
    "Reports all errors at once, each with its line and column, a stable code and a hint. " +
    "docs/diagnostics.md explains the codes. `-` is standard input. The command also checks that " +
    "the files named in the plans exist. It does not send requests.",
    "Exit codes: 0 every plan is valid; 1 a plan is invalid or could not be read; 2 the command " +
    "line is invalid; 3 every plan is valid, but there are warnings (with --strict).",
  ],
  options: {
    format: choice(DIAGNOSTIC_FORMATS, {
      default: "text",
      help: "Format of the report; json prints one object per line, github prints annotations",
    }),
    noCheckFiles: toggle({ help: "Do not check that the files named in the plans exist" }),
    strict: toggle({ help: "Exit with code 3 if a valid plan has warnings" }),
  },
  needs: [],
  examples: {
    "rehearse validate plan.yaml": "Report every error with its line and column.",
    "rehearse convert access.log | rehearse validate -": "Check a plan on standard input.",
    "rehearse validate --strict --format github plans/*.yaml":
      "Annotate a pull request; warnings fail the job.",
  },
  async run({ format, noCheckFiles, strict, args }, io) {
    const paths = args.positionals;
    const results: CheckedPlan[] = [];
    for (const path of paths) {
      const checked = await check(path, !noCheckFiles, io);
      const { name, plan, diagnostics } = checked;
      results.push(checked);
      io.stdout.write(formatDiagnostics(diagnostics, name, format, io.stdout.colors));
      if (plan !== undefined && format === "text") {
        io.stdout.write(`${safeText(name)}: valid (${contents(plan)})\n`);
      }
    }
    const invalid = results.filter(({ plan }) => plan === undefined).length;
    if (format === "text") io.stdout.write(closing(results, invalid));
    if (invalid > 0) return EXIT.FAILED;
    if (format === "text" && paths.length === 1 && paths[0] !== "-") {
      const isRelative = results[0].diagnostics.some(({ code }) => code === "no-base-url");
      const target = isRelative ? ["--base-url", "http://127.0.0.1:8080"] : [];
      printNext(commandLine("run", paths[0], ...target, "--once"), args, io);
    }
    const hasWarnings = results.some(({ diagnostics }) => diagnostics.length > 0);
    return strict && hasWarnings ? EXIT.STRICT : EXIT.OK;
  },
});

/** Checks a plan. A file that cannot be read has a diagnostic, so that the others are checked. */
async function check(path: string, checksFiles: boolean, io: Io): Promise<CheckedPlan> {
  try {
    return await checkPlan(path, io, checksFiles);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const { message } = error;
    const unreadable = { code: "unreadable", severity: "error", path: [], message } as const;
    return { name: path === "-" ? "standard input" : path, diagnostics: [unreadable] };
  }
}

function contents(plan: Plan): string {
  const count = Object.keys(plan.scenarios).length;
  return `${plural(count, "scenario")}, ${describeSent(countSent(allFlows(plan)))}`;
}

function closing(results: readonly CheckedPlan[], invalid: number): string {
  const all = results.flatMap(({ diagnostics }) => diagnostics);
  const errors = all.filter(({ severity }) => severity === "error").length;
  const verdict = invalid > 0 ? `${invalid} invalid` : results.length === 1 ? "valid" : "all valid";
  return `${plural(results.length, "plan")} checked: ${verdict}, ` +
    `${plural(errors, "error")}, ${plural(all.length - errors, "warning")}\n`;
}

/** Prints the schema with which an editor checks a plan. */
export const schemaCommand: Command = command({
  name: "schema",
  usage: "",
  about: [
    "Editors use the schema to complete and check plans. It covers every key, but only " +
    "`validate` also checks references, thresholds and files.",
    "The first line of a plan that `convert` writes contains the URL of the schema. To work without " +
    "network access, save the schema and put its path into that line.",
  ],
  options: {},
  needs: [],
  examples: {
    "rehearse schema > plan.schema.json":
      "Save the schema; in a plan next to it, write `# yaml-language-server: $schema=plan.schema.json`.",
  },
  run: (_given, io) => {
    io.stdout.write(JSON.stringify(planJsonSchema(), null, 2) + "\n");
    return Promise.resolve(0);
  },
});
