import { UsageError } from "../../base/errors.ts";
import { safeSnippet } from "../../base/safe_text.ts";
import { formatShard, parseShard, type Shard } from "../../plan/partition.ts";
import { type Option, parsed } from "../command/options.ts";

/**
 * A scheduler, and the names of environment variables that it sets for each process. `index` is the
 * name of the variable that contains the index of the process, from 0.
 */
interface Scheduler {
  readonly name: string;
  readonly index: string;
  readonly count?: string;
}

const SCHEDULERS: readonly Scheduler[] = [
  { name: "Kubernetes", index: "JOB_COMPLETION_INDEX" },
  { name: "Slurm", index: "SLURM_PROCID", count: "SLURM_NTASKS" },
  { name: "Nomad", index: "NOMAD_ALLOC_INDEX" },
  {
    name: "AWS Batch",
    index: "AWS_BATCH_JOB_ARRAY_INDEX",
    count: "AWS_BATCH_JOB_ARRAY_SIZE",
  },
];

/** Reads an environment variable. Returns undefined if it is not set. */
export type ReadEnv = (name: string) => string | undefined;

/**
 * Returns the index that a scheduler has assigned to this process, from 0, or undefined if no
 * scheduler variable is set. Throws UsageError if the variable is not an index.
 */
export function schedulerIndex(readEnv: ReadEnv): number | undefined {
  const found = SCHEDULERS.find(({ index }) => readEnv(index));
  return found && parseVariable(found.index, readEnv);
}

/** The option `--shard`: a shard, or `auto` for the one that a scheduler passes. */
export function shardOption(help: string): Option<Shard | "auto" | undefined> {
  return parsed(
    { value: "I/N", suggests: ["auto"], help },
    "I/N, such as 1/3 for the first of three, or `auto`",
    (text) => text === "auto" ? text : parseShard(text),
  );
}

/**
 * Returns the shard that `--shard` selects, for `auto` the shard that the scheduler's environment
 * variables specify. `shards` is the value of `--shards`. Throws UsageError if they differ or the
 * variables are not set.
 */
export function selectedShard(
  shard: Shard | "auto",
  shards: number | undefined,
  readEnv: ReadEnv,
): Shard {
  if (shard === "auto") return schedulerShard(shards, readEnv);
  if (shards === undefined || shards === shard.of) return shard;
  throw new UsageError(
    `--shard ${
      formatShard(shard)
    } and --shards ${shards} differ: omit \`--shards\`, or use the same number`,
  );
}

function schedulerShard(shards: number | undefined, readEnv: ReadEnv): Shard {
  const found = SCHEDULERS.find(({ index }) => readEnv(index));
  if (found === undefined) {
    const names = SCHEDULERS.map(({ index }) => index).join(", ");
    throw new UsageError(
      `--shard auto needs one of the environment variables ${names}, but none is set; write \`--shard I/N\``,
    );
  }
  const index = parseVariable(found.index, readEnv);
  const counted = found.count !== undefined && readEnv(found.count)
    ? parseVariable(found.count, readEnv)
    : undefined;
  const of = shards ?? counted;
  if (of === undefined) {
    throw new UsageError(
      `--shard auto: ${found.name} does not pass the number of processes; add \`--shards N\``,
    );
  }
  if (index < of) return { index, of };
  throw new UsageError(
    `--shard auto: ${found.index} is ${index} (counting from 0), but there are only ${of} shards`,
  );
}

function parseVariable(name: string, readEnv: ReadEnv): number {
  const value = readEnv(name) ?? "";
  if (/^\d{1,6}$/.test(value)) return Number(value);
  throw new UsageError(
    `the environment variable ${name} cannot be ${safeSnippet(value)}: expected a whole number`,
  );
}
