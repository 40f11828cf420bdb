import { openOutputs } from "../../engine/kinds/outputs/outputs.ts";
import { literalText } from "../../plan/text/template.ts";
import type { ExportIdentity } from "../../engine/outputs/open_output.ts";
import { formatShard, type Shard } from "../../plan/partition.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import type { Args } from "../command/command.ts";
import { readGrantedEnv } from "../system/granted_env.ts";
import type { RunOutput } from "../../engine/outputs/run_output.ts";

/**
 * Opens the outputs of a plan. `locate` maps a path in
 * the plan to the path of the file to write. `shard` is the part of the load that the process runs,
 * or undefined for the whole plan. Rejects with the same errors as the engine's
 * `openOutputs`.
 */
export async function openRunOutputs(
  plan: Plan,
  locate: (path: string) => string,
  args: Args,
  shard: Shard | undefined,
): Promise<readonly RunOutput[]> {
  if (plan.outputs === undefined) return [];
  return await openOutputs(plan.outputs, locate, exportIdentity(plan, args, shard));
}

/**
 * Returns the labels of exported metrics: the run id (`--run-id`, the name of the fleet's run, or a
 * random one), the shard, the plan's tags, and the name of the process (`--instance` or the host
 * name).
 */
function exportIdentity(
  { defaults }: Plan,
  args: Args,
  shard: Shard | undefined,
): ExportIdentity {
  // Tags with expressions differ between samples.
  const tags = Object.entries(defaults?.tags ?? {})
    .map(([name, value]) => [name, String(value)] as const)
    .filter(([, value]) => literalText(value) !== undefined);
  return {
    labels: [
      ["run_id", args.text("run-id") ?? fleetRun(args) ?? crypto.randomUUID().slice(0, 8)],
      ...(shard === undefined ? [] : [["shard", formatShard(shard)] as const]),
      ...tags,
    ],
    instance: args.text("instance") ?? readGrantedEnv("HOSTNAME"),
  };
}

function fleetRun(args: Args): string | undefined {
  return args.text("fleet")?.split("/").at(-1);
}
