import type { Output, OutputKind } from "../../plan/kinds/outputs.ts";
import { openFile } from "./files.ts";
import { openOtlp } from "./otlp.ts";
import type { ExportIdentity, OpenOutput, OutputOf, RunOutput } from "./outputs.ts";
import { openPrometheus } from "./prometheus.ts";

const OPEN: { readonly [Kind in OutputKind]: OpenOutput<Kind> } = {
  json: openFile,
  csv: openFile,
  prometheus: openPrometheus,
  otlp: openOtlp,
};

/**
 * Opens the outputs of a plan. `resolve` maps a path in the plan to the path of the file to write,
 * and throws OutputError for a file that must not be written. `identity` labels exported metrics.
 * If one output cannot be opened, closes the others and throws OutputError, or NotCapable if a
 * permission is missing.
 */
export async function openOutputs(
  outputs: readonly Output[],
  resolve: (path: string) => string,
  identity: ExportIdentity,
): Promise<RunOutput[]> {
  const opened: RunOutput[] = [];
  try {
    for (const output of outputs) {
      opened.push(...open(output.type, output, resolve, identity));
    }
    return opened;
  } catch (error) {
    await Promise.all(opened.map((output) => output.close()));
    throw error;
  }
}

function open<Kind extends OutputKind>(
  kind: Kind,
  output: OutputOf<Kind>,
  resolve: (path: string) => string,
  identity: ExportIdentity,
): RunOutput[] {
  return OPEN[kind](output, resolve, identity);
}
