import { HEAD_BYTES, MAX_DOCUMENT_BYTES } from "../../base/bytes/byte_source.ts";
import { openBytes } from "../../base/bytes/open_bytes.ts";
import { InputError } from "../../base/errors.ts";
import { plural } from "../../base/format.ts";
import { safeText } from "../../base/safe_text.ts";
import { allFlows, countSent, describeSent } from "../../plan/kinds/list_requests.ts";
import { loadPlan } from "../../plan/load_plan.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { type Command, EXIT } from "../command/command.ts";
import { choice, command, toggle } from "../command/options.ts";
import { notAPlan, planFiles } from "../input/read_documents.ts";
import {
  commandLine,
  DIAGNOSTIC_FORMATS,
  type FileDiagnostic,
  formatDiagnostics,
  printNext,
} from "../output/messages.ts";
import type { Io } from "../system/io.ts";

/** The `rehearse validate` command. */
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
  examples: [
    {
      command: "rehearse validate plan.yaml",
      does: "Report every error with its line and column.",
    },
    {
      command: "rehearse convert access.log | rehearse validate -",
      does: "Check a plan on standard input.",
    },
    {
      command: "rehearse validate --strict --format github plans/*.yaml",
      does: "Annotate a pull request; warnings fail the job.",
    },
  ],
  async run({ format, noCheckFiles, strict, args }, io) {
    const paths = args.positionals;
    const results: Checked[] = [];
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

/** Result of validating one plan file. */
interface Checked {
  /** Path of the file as given, or `standard input`. */
  readonly name: string;
  /** Parsed plan, or undefined if the diagnostics include an error. */
  readonly plan: Plan | undefined;
  readonly diagnostics: readonly FileDiagnostic[];
}

async function check(path: string, checkFiles: boolean, io: Io): Promise<Checked> {
  const name = path === "-" ? "standard input" : path;
  const { head, bytes } = await read(path, io);
  const { plan, diagnostics } = bytes instanceof Uint8Array
    ? loadPlan(bytes, { files: checkFiles ? planFiles(path) : undefined })
    : { diagnostics: [bytes] };
  const recorded = plan === undefined ? await notAPlan(head, path) : undefined;
  return { name, plan, diagnostics: recorded === undefined ? diagnostics : [recorded] };
}

/**
 * The first bytes of a file (`head`), and its complete content or a diagnostic that states why the
 * file cannot be read.
 */
interface Read {
  readonly head: Uint8Array;
  readonly bytes: Uint8Array | FileDiagnostic;
}

/**
 * Reads the bytes of a plan. If the file cannot be read, returns a diagnostic instead of throwing,
 * so that the remaining plans are still checked.
 */
async function read(path: string, io: Io): Promise<Read> {
  let head: Uint8Array = new Uint8Array();
  try {
    using source = await openBytes(path, () => io.stdin());
    head = await source.peek(HEAD_BYTES);
    return { head, bytes: await source.bytes(MAX_DOCUMENT_BYTES) };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const { message } = error;
    return { head, bytes: { code: "unreadable", severity: "error", path: [], message } };
  }
}

function contents(plan: Plan): string {
  const count = Object.keys(plan.scenarios).length;
  return `${plural(count, "scenario")}, ${describeSent(countSent(allFlows(plan)))}`;
}

function closing(results: readonly Checked[], invalid: number): string {
  const all = results.flatMap(({ diagnostics }) => diagnostics);
  const errors = all.filter(({ severity }) => severity === "error").length;
  const verdict = invalid > 0 ? `${invalid} invalid` : results.length === 1 ? "valid" : "all valid";
  return `${plural(results.length, "plan")} checked: ${verdict}, ` +
    `${plural(errors, "error")}, ${plural(all.length - errors, "warning")}\n`;
}
