import { isAbsolute, relative, resolve, SEPARATOR } from "@std/path";
import { realPath } from "../../base/atomic_file.ts";
import { OutputError } from "../../base/errors.ts";
import { openOutputs } from "../../engine/outputs/outputs.ts";
import type { ExportIdentity, RunOutput } from "../../engine/outputs/open_output.ts";
import { type Output, outputVariant } from "../../plan/kinds/outputs.ts";
import { formatShard, type Shard } from "../../plan/partition.ts";
import { filesRead } from "../../plan/request_texts.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { literalText } from "../../plan/text/template.ts";
import { hidePasswords } from "../../plan/text/user_info.ts";
import { pathResolver } from "../input/read_plan.ts";
import { readGrantedEnv } from "../system/io.ts";
import type { RunGiven } from "./run_options.ts";

/** Options of `run` that label metrics. */
export type Labels = Pick<RunGiven, "runId" | "instance" | "fleet">;

/**
 * Opens the outputs of a plan. `locate` maps a path in
 * the plan to the path of the file to write. `shard` is the part of the load that the process runs,
 * or undefined for the whole plan. Rejects with the same errors as the engine's
 * `openOutputs`.
 */
export async function openRunOutputs(
  plan: Plan,
  locate: (path: string) => string,
  given: Labels,
  shard: Shard | undefined,
): Promise<readonly RunOutput[]> {
  if (plan.outputs === undefined) return [];
  return await openOutputs(plan.outputs, locate, exportIdentity(plan, given, shard));
}

/**
 * Returns the labels of exported metrics: the run id (`--run-id`, the name of the fleet's run, or a
 * random one), the shard, the plan's tags, and the name of the process (`--instance` or the host
 * name).
 */
function exportIdentity(
  { defaults }: Plan,
  { runId, instance, fleet }: Labels,
  shard: Shard | undefined,
): ExportIdentity {
  // Tags with expressions differ between samples.
  const tags = Object.entries(defaults?.tags ?? {})
    .map(([name, value]) => [name, String(value)] as const)
    .filter(([, value]) => literalText(value) !== undefined);
  return {
    labels: [
      ["run_id", runId ?? fleet?.split("/").at(-1) ?? crypto.randomUUID().slice(0, 8)],
      ...(shard === undefined ? [] : [["shard", formatShard(shard)] as const]),
      ...tags,
    ],
    instance: instance ?? readGrantedEnv("HOSTNAME"),
  };
}

/**
 * Creates a function that resolves a path in the plan's `outputs` to an absolute path. Because
 * plans may be untrusted, the function accepts only files in the folder of the plan or under one of
 * the paths in `allowed` (`--allow-output`). It throws OutputError for any other file, for a file
 * that the plan reads, and for a file that another output already uses.
 */
export function outputLocator(
  plan: Plan,
  planPath: string,
  allowed: readonly string[],
): (path: string) => string {
  const locate = pathResolver(planPath);
  const roots = [locate("."), ...allowed.map((path) => resolve(path))];
  const read = [
    ...(planPath === "-" ? [] : [resolve(planPath)]),
    ...filesRead(plan).map(locate),
  ];
  const taken = new Set<string>();
  return (path) => {
    const target = realPath(locate(path));
    const refuse = (reason: string) =>
      new OutputError(`cannot write the output ${path}: ${reason}`);
    if (!roots.some((root) => isWithin(target, realPath(root)))) {
      throw refuse(
        `${target} is not in the plan's folder; add \`--allow-output ${path}\` if you trust the plan`,
      );
    }
    if (read.some((path) => realPath(path) === target)) {
      throw refuse("the plan reads this file; choose another path");
    }
    if (taken.has(target)) throw refuse("another output writes this file; choose another path");
    taken.add(target);
    return target;
  };
}

/**
 * Returns a line for each destination of the outputs, such as `metrics go to URL`, without
 * passwords.
 */
export function describeOutputs(
  outputs: readonly Output[],
  resolve: (path: string) => string,
): string[] {
  return outputs.flatMap((output) => outputVariant(output).destinations(output, resolve))
    .map(hidePasswords);
}

function isWithin(path: string, root: string): boolean {
  const way = relative(root, path);
  return way !== ".." && !way.startsWith(`..${SEPARATOR}`) && !isAbsolute(way);
}
