import { type AtomicFile, openAtomicFile, realPath } from "../../base/atomic_file.ts";
import { OutputError, systemMessage, UsageError } from "../../base/errors.ts";
import { type Io, readEnv, readGrantedEnv } from "../system/io.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { junitXml } from "../../report/ci.ts";
import { renderSummary } from "../../report/text/render_summary.ts";

/**
 * Output to a file or to standard output. Written once, when the result is complete. If it was not
 * written at the end of its scope, an existing file stays unchanged.
 */
export interface OutputFile extends Disposable {
  /** Writes the whole text. A file is replaced atomically. */
  write(text: string): Promise<void>;
}

/**
 * Opens the file at `path` before the work starts, so that an unwritable path fails early. Opens
 * standard output if the path is `-` or undefined. Throws OutputError if the path cannot be
 * written, and UsageError if it is one of `inputs`.
 */
export function openOutput(
  path: string | undefined,
  inputs: readonly string[],
  io: Io,
): OutputFile {
  if (path === undefined || path === "-") return standardOutput(io);
  return openOutputFile(path, inputs);
}

/**
 * Opens the file at `path` as an output. Throws OutputError if it cannot be written, and UsageError
 * if it is one of `inputs`.
 */
export function openOutputFile(path: string, inputs: readonly string[]): OutputFile {
  if (inputs.some((input) => isSameFile(input, path))) {
    throw new UsageError(
      `cannot write to ${path}: this command or its plan already uses the file; choose another path`,
    );
  }
  const file: AtomicFile = openAtomicFile(path);
  return {
    write: (text) =>
      Promise.try(() => {
        file.write(new TextEncoder().encode(text));
        file.commit();
      }),
    [Symbol.dispose]: () => file.discard(),
  };
}

function standardOutput(io: Io): OutputFile {
  return {
    write: (text) =>
      Promise.try(() => io.stdout.write(text)).catch((error) => {
        // The reader closed the pipe, as `| head -1` does. Notes and summary are still printed.
        if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
      }),
    [Symbol.dispose]() {},
  };
}

/** Reports whether two paths name the same file, which need not exist. */
function isSameFile(a: string, b: string): boolean {
  if (a === b) return true;
  if (a === "-") return false;
  try {
    return realPath(a) === realPath(b);
  } catch {
    // Opening the file reports the error.
    return false;
  }
}

/** Reports whether there is a file or a link at `path`. */
export function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Outputs by name. An output without a path is undefined. */
export type Outputs<Paths> =
  & {
    readonly [Name in keyof Paths]: Paths[Name] extends string ? OutputFile
      : OutputFile | undefined;
  }
  & Disposable;

/**
 * Opens the outputs at `paths`, as `openOutput` does. Throws OutputError if a path cannot be
 * written, and UsageError if two outputs have the same path, or one has the path of an input.
 */
export function openOutputs<const Paths extends Readonly<Record<string, string | undefined>>>(
  paths: Paths,
  inputs: readonly string[],
  io: Io,
): Outputs<Paths> {
  using opened = new DisposableStack();
  const outputs: [name: string, output: OutputFile][] = [];
  const used: string[] = [];
  for (const [name, path] of Object.entries(paths)) {
    if (path === undefined) continue;
    if (path === "-" && used.includes("-")) {
      throw new UsageError(
        "standard output (-) was given twice: write one of the outputs to a file",
      );
    }
    outputs.push([name, opened.use(openOutput(path, [...inputs, ...used], io))]);
    used.push(path);
  }
  const all = opened.move();
  return {
    ...Object.fromEntries(outputs),
    [Symbol.dispose]: () => all.dispose(),
  } as unknown as Outputs<Paths>;
}

/** Report files specified by command-line options. */
export interface ReportFiles extends Disposable {
  /**
   * Writes all files, even if one of them fails. `plan` returns the text of the plan, without
   * secrets, for the HTML report. Rejects with an OutputError that lists all failures.
   */
  write(summary: Summary, plan?: () => string): Promise<void>;
}

/** Paths of report files. A file without a path is not written. */
export type ReportPaths = Readonly<Partial<Record<"summary" | "junit" | "html", string>>>;

type Render = (summary: Summary, plan?: () => string) => string | Promise<string>;

const RENDERERS: Readonly<Record<keyof ReportPaths, Render>> = {
  summary: (summary) => JSON.stringify(summary, null, 2) + "\n",
  junit: junitXml,
  async html(summary, plan) {
    // Loaded only for `--html`.
    const { runReport } = await import("../../report/html/run_report.ts");
    return await runReport(summary, plan?.());
  },
};

/** Opens report files. Throws the errors of `openOutputs`. */
export function openReportFiles(
  paths: ReportPaths,
  inputs: readonly string[],
  io: Io,
): ReportFiles {
  const { summary, junit, html } = paths;
  const files = openOutputs({ summary, junit, html }, inputs, io);
  return {
    async write(summary, plan) {
      const failed: OutputError[] = [];
      for (const [kind, render] of Object.entries(RENDERERS)) {
        const output = files[kind as keyof ReportPaths];
        const text = output && await render(summary, plan);
        try {
          if (text !== undefined) await output?.write(text);
        } catch (error) {
          if (!(error instanceof OutputError)) throw error;
          failed.push(error);
        }
      }
      if (failed.length > 0) throw new OutputError(failed.map(({ message }) => message).join("; "));
    },
    [Symbol.dispose]: () => files[Symbol.dispose](),
  };
}

/**
 * Width, in columns, to assume for an output that is not a terminal. Only very long names are
 * shortened to fit.
 */
const PIPE = 1_000;

export function printSummary(
  summary: Summary,
  { noColor, brief = false }: { readonly noColor: boolean; readonly brief?: boolean },
  io: Io,
): void {
  const color = io.stdout.colors === true && !noColor;
  const width = io.stdout.columns() ?? PIPE;
  io.stdout.write(renderSummary(summary, { color, width, brief }));
}

/**
 * Environment variable that contains the path of the file for the summary of a GitHub Actions step.
 */
const VARIABLE = "GITHUB_STEP_SUMMARY";

/**
 * Returns the path of the file for the summary of a GitHub Actions step. Returns undefined if the
 * environment variable is not set. If the permission to read it is missing, throws
 * `Deno.errors.NotCapable` if `required` is true, and otherwise returns undefined.
 */
export function stepSummaryPath({ required }: { readonly required: boolean }): string | undefined {
  return (required ? readEnv(VARIABLE) : readGrantedEnv(VARIABLE)) || undefined;
}

/**
 * Appends Markdown to the summary of a GitHub Actions step. Throws OutputError if `path` cannot be
 * written.
 */
export function appendStepSummary(path: string, markdown: string): void {
  try {
    Deno.writeTextFileSync(path, `\n${markdown}`, { append: true });
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    throw new OutputError(
      `cannot append to ${path}, the file specified by ${VARIABLE}: ${systemMessage(error)}`,
      { cause: error },
    );
  }
}
