import { OutputError } from "../../base/errors.ts";
import type { Output, OutputKind } from "../../plan/kinds/outputs/outputs.ts";
import type { Point } from "./points.ts";
import type { RunOutput } from "./run_output.ts";

/** Output of the given kind, as configured in the plan. */
export type OutputOf<Kind extends OutputKind> = Extract<Output, { type: Kind }>;

/**
 * Function that opens an output of one kind. It returns several outputs if one entry of the plan
 * has several destinations. `resolve` maps a path in the plan to the path of the file to write, and
 * throws OutputError for a file that must not be written. `identity` labels exported metrics. The
 * function throws OutputError if the output cannot be opened, and NotCapable if a permission is
 * missing.
 */
export type OpenOutput<Kind extends OutputKind> = (
  output: OutputOf<Kind>,
  resolve: (path: string) => string,
  identity: ExportIdentity,
) => RunOutput[];

/** Labels that distinguish runs and processes in the systems that receive metrics. */
export interface ExportIdentity {
  /** Labels for all exported metrics: the run id, the shard, and the plan's tags. */
  readonly labels: Point["labels"];
  /** Name of the process; undefined if it is unknown. */
  readonly instance?: string;
}

/** Identity without labels. */
export const ANONYMOUS: ExportIdentity = { labels: [] };

/**
 * Parses `host:port`. An omitted host means 127.0.0.1. If `text` is invalid, throws an OutputError
 * that names the plan key `key`.
 */
export function parseAddress(text: string, key: string): { hostname: string; port: number } {
  const [, bracketed, host, port] = /^(?:\[(.+)\]|([^:]*)):(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined || Number(port) > 65_535) {
    throw new OutputError(
      `invalid \`${key}\`: expected host:port, such as 127.0.0.1:9464, found ${text}`,
    );
  }
  return { hostname: bracketed ?? (host || "127.0.0.1"), port: Number(port) };
}
