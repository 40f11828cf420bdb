import { dirname, relative, resolve } from "@std/path";
import { HEAD_BYTES, MAX_DOCUMENT_BYTES } from "../../base/bytes/byte_source.ts";
import { openBytes } from "../../base/bytes/open_bytes.ts";
import { InputError } from "../../base/errors.ts";
import { loadPlan } from "../../plan/load_plan.ts";
import { mergeEnv } from "../../plan/override.ts";
import type { PlanFiles } from "../../plan/rules/check_context.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { type FileDiagnostic, printDiagnostics } from "../output/messages.ts";
import type { Io } from "../system/io.ts";
import type { Summary } from "../../engine/summary/summary.ts";

/**
 * Reads the plan at `path` and applies the overlay with the name `overlay`, if any. Prints
 * diagnostics to standard error. Returns undefined if the plan is invalid. Throws InputError if the
 * file cannot be read, and UsageError if the plan has no overlay with that name.
 */
export async function readPlan(
  path: string,
  overlay: string | undefined,
  io: Io,
): Promise<Plan | undefined> {
  const { name, plan, diagnostics } = await checkPlan(path, io);
  // `--base-url` or an overlay may set the base URL; `preflight` reports a missing one.
  printDiagnostics(diagnostics.filter(({ code }) => code !== "no-base-url"), name, io);
  return plan === undefined || overlay === undefined ? plan : mergeEnv(plan, overlay);
}

/** A plan that was read, or what is wrong with it. */
export interface CheckedPlan {
  /** Path of the file as given, or `standard input`. */
  readonly name: string;
  /** Undefined if the diagnostics include an error. */
  readonly plan?: Plan;
  readonly diagnostics: readonly FileDiagnostic[];
}

/**
 * Reads and checks the plan at `path` and, unless `checksFiles` is false, that the files that it
 * names exist. Throws InputError if the file cannot be read.
 */
export async function checkPlan(path: string, io: Io, checksFiles = true): Promise<CheckedPlan> {
  using source = await openBytes(path, io.stdin);
  const { name } = source;
  const head = await source.peek(HEAD_BYTES);
  const files = checksFiles ? planFiles(path) : undefined;
  let failure: unknown;
  const { plan, diagnostics } = await source.bytes(MAX_DOCUMENT_BYTES)
    .then((bytes) => loadPlan(bytes, { files }), (error) => {
      failure = error;
      return { plan: undefined, diagnostics: [] };
    });
  if (plan !== undefined) return { name, plan, diagnostics };
  // Loaded only here, because it knows all log formats.
  const { otherThanPlan } = await import("./input_kind.ts");
  const other = otherThanPlan(head, path);
  if (other === undefined && failure !== undefined) throw failure;
  return { name, diagnostics: other === undefined ? diagnostics : [other] };
}

/** Reads a text file, such as an OpenAPI document. The path `-` means standard input. */
export async function readDocument(path: string, io?: Io): Promise<string> {
  using source = await openBytes(path, io?.stdin ?? (() => new ReadableStream()));
  return new TextDecoder().decode(await source.bytes(MAX_DOCUMENT_BYTES));
}

/**
 * Creates a function that resolves paths relative to a plan's folder. For a plan on standard input
 * (`-`), that is the current directory.
 */
export function pathResolver(planPath: string): (path: string) => string {
  const folder = planPath === "-" ? "." : dirname(planPath);
  return (path) => resolve(folder, path);
}

/**
 * Returns a path, which is relative to the current directory, relative to the folder of a plan.
 * `plan` is undefined or `-` if the plan is not a file.
 */
export function pathFromPlan(plan: string | undefined, path: string): string {
  if (plan === undefined || plan === "-") return path;
  return relative(resolve(dirname(plan)), resolve(path)).replaceAll("\\", "/");
}

/**
 * Creates a function that reads a file by its path relative to a plan's folder. The function throws
 * InputError if the file cannot be read.
 */
export function fileReader(planPath: string): (path: string) => Uint8Array {
  const resolve = pathResolver(planPath);
  return (path) => {
    const file = resolve(path);
    try {
      return Deno.readFileSync(file);
    } catch (error) {
      if (error instanceof Deno.errors.NotCapable) throw error;
      const missing = error instanceof Deno.errors.NotFound;
      const why = missing ? "there is no such file" : (error as Error).message;
      throw new InputError(`cannot read ${file}: ${why}`, { source: planPath }, {
        cause: error,
      });
    }
  };
}

/**
 * Gives `loadPlan` access to the files that a plan names. `plan` is the path of the plan. Paths in
 * the plan are relative to its folder, or to the current directory if `plan` is `-`.
 */
export function planFiles(plan: string): PlanFiles {
  const at = pathResolver(plan);
  return {
    exists: (path) => statOrNothing(at(path))?.isFile ?? false,
    firstLine: (path) => statOrNothing(at(path))?.isFile ? firstLine(at(path)) : undefined,
  };
}

function statOrNothing(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(path);
  } catch (error) {
    // Rethrown: the command reports the permission flag to add.
    if (error instanceof Deno.errors.NotCapable) throw error;
    return undefined;
  }
}

function firstLine(path: string): string {
  using file = Deno.openSync(path);
  const bytes = new Uint8Array(HEAD_BYTES);
  const count = file.readSync(bytes) ?? 0;
  return new TextDecoder().decode(bytes.subarray(0, count)).split(/\r?\n/, 1)[0];
}

/**
 * Reads a summary that `run --summary-export` or `merge -o` wrote. Throws InputError if the file is
 * not a valid summary.
 */
export async function readSummary(path: string, io: Io): Promise<Summary> {
  using source = await openBytes(path, io.stdin);
  const head = (await source.peek(HEAD_BYTES)).slice();
  const text = new TextDecoder().decode(await source.bytes(MAX_DOCUMENT_BYTES));
  const value = parse(text);
  if (Object(value).schema === undefined) {
    // Loaded only here, because it knows all log formats.
    const { rejectOtherKinds } = await import("./input_kind.ts");
    await rejectOtherKinds({ name: source.name, peek: () => Promise.resolve(head) }, "summary");
  }
  // Loaded only here, because most commands read no summary.
  const { parseSummary } = await import("../../engine/summary/summary.ts");
  const shaped = parseSummary(value);
  if ("summary" in shaped) return shaped.summary;
  throw new InputError(
    `not a summary: ${shaped.fault}; expected the output of \`rehearse run --summary-export\``,
    { source: source.name },
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
