import { openBytes } from "../../base/bytes/open_bytes.ts";
import { InputError, UsageError } from "../../base/errors.ts";
import { safeText } from "../../base/safe_text.ts";
import { plural } from "../../convert/wording.ts";
import { loadPlan } from "../../plan/load.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { countRequests } from "../../plan/steps.ts";
import type { Args, Command } from "../command.ts";
import {
  DIAGNOSTIC_FORMATS,
  type DiagnosticFormat,
  type FileDiagnostic,
  formatDiagnostics,
} from "../diagnostics.ts";
import type { Io } from "../io.ts";
import { planFiles } from "../plan_files.ts";

/** `rehearse validate`. */
export const validate: Command = {
  name: "validate",
  summary: "Check plans and say everything that is wrong with them",
  usage: "FILE... [OPTIONS]",
  about: [
    "Reports every error at once, each with its place, a stable code and what to write instead; " +
    "docs/diagnostics.md explains each code. `-` is standard input. Reads the plans and looks " +
    "whether the files that they name are there; sends nothing.",
    "Exit codes: 0 every plan is valid; 1 a plan is invalid or could not be read; 2 the command " +
    "line is wrong.",
  ],
  flags: [
    {
      name: "format",
      value: "FORMAT",
      choices: DIAGNOSTIC_FORMATS,
      help: "How to report: text, json (one object a line) or github (annotations)",
    },
    { name: "no-check-files", help: "Do not look for the files that the plans name" },
    { name: "strict", help: "Take warnings for errors" },
  ],
  examples: [
    { command: "rehearse validate plan.yaml", does: "what is wrong, with line and column" },
    {
      command: "rehearse convert access.log | rehearse validate -",
      does: "a plan on standard input",
    },
    {
      command: "rehearse validate --strict --format github plans/*.yaml",
      does: "annotations in a pull request; a warning fails the job",
    },
  ],
  run,
};

/** What came of one file. */
interface Checked {
  /** Lines of the report. */
  readonly report: string;
  readonly errors: number;
  readonly warnings: number;
}

async function run(args: Args, io: Io): Promise<number> {
  const paths = args.positionals;
  if (paths.length === 0) throw new UsageError("expected a plan to check, or - for standard input");
  const format = (args.text("format") ?? "text") as DiagnosticFormat;
  const results: Checked[] = [];
  for (const path of paths) {
    const checked = await checkFile(path, format, !args.has("no-check-files"), io);
    io.stdout.write(checked.report);
    results.push(checked);
  }
  const invalid = (one: Checked) => one.errors > 0 || args.has("strict") && one.warnings > 0;
  if (format === "text") io.stdout.write(closing(results, results.filter(invalid).length));
  return results.some(invalid) ? 1 : 0;
}

async function checkFile(
  path: string,
  format: DiagnosticFormat,
  checkFiles: boolean,
  io: Io,
): Promise<Checked> {
  const name = path === "-" ? "standard input" : path;
  const bytes = await read(path, io);
  if (!(bytes instanceof Uint8Array)) return checked(name, [bytes], format);
  const files = checkFiles ? planFiles(path) : undefined;
  const { plan, diagnostics } = await loadPlan(bytes, { files });
  const result = checked(name, diagnostics, format);
  if (format !== "text" || plan === undefined) return result;
  return { ...result, report: result.report + `${safeText(name)}: valid (${contents(plan)})\n` };
}

/** The bytes of a plan, or why it could not be read: the other plans are checked all the same. */
async function read(path: string, io: Io): Promise<Uint8Array | FileDiagnostic> {
  try {
    const source = await openBytes(path, () => io.stdin());
    return await source.bytes();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { code: "unreadable", severity: "error", path: [], message: error.message };
  }
}

function checked(
  name: string,
  diagnostics: readonly FileDiagnostic[],
  format: DiagnosticFormat,
): Checked {
  const count = (severity: string) => diagnostics.filter((d) => d.severity === severity).length;
  const report = formatDiagnostics(diagnostics, name, format);
  return { report, errors: count("error"), warnings: count("warning") };
}

function contents({ scenarios }: Plan): string {
  const flows = Object.values(scenarios).map(({ flow }) => flow);
  const requests = flows.reduce((sum, flow) => sum + countRequests(flow), 0);
  return `${plural(flows.length, "scenario")}, ${plural(requests, "request")}`;
}

function closing(results: readonly Checked[], invalid: number): string {
  const sum = (of: "errors" | "warnings") => results.reduce((total, one) => total + one[of], 0);
  const verdict = invalid === 0
    ? results.length === 1 ? "valid" : "all valid"
    : `${invalid} invalid`;
  return `${plural(results.length, "plan")} checked: ${verdict}, ` +
    `${plural(sum("errors"), "error")}, ${plural(sum("warnings"), "warning")}\n`;
}
