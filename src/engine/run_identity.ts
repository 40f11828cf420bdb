import { hash } from "node:crypto";
import type { Shard } from "../plan/partition.ts";
import type { Plan } from "../plan/schema/plan.ts";

/** Properties that identify a run. */
export interface RunIdentity {
  /**
   * SHA-256 (hex) of the plan, with options and overlay applied, and of its files of data and
   * arrivals. Does not cover the plan's keys `outputs` and `env`.
   */
  readonly planHash: string;
  /** Seed for random numbers. */
  readonly seed: number;
  /** Seed for shuffling the data. It must be the same in all shards of a run. */
  readonly dataSeed: number;
}

/** Inputs from which the identity of a run is computed. */
export interface IdentityOptions {
  readonly shard: Shard;
  /** Seed that the user chose. Undefined means a random seed. */
  readonly seed?: number;
  readonly readFile: (path: string) => Uint8Array;
}

/**
 * Returns the identity of a run. If no seed is given, shards derive the data seed from the plan's
 * hash. As a result, they all shuffle the data in the same order and together use every row once.
 * Throws InputError if a data file cannot be read.
 */
export function runIdentity(plan: Plan, options: IdentityOptions): RunIdentity {
  const planHash = hashPlan(plan, options.readFile);
  const seed = options.seed ?? randomSeed();
  const isShard = options.shard.of > 1 && options.seed === undefined;
  return { planHash, seed, dataSeed: isShard ? parseInt(planHash.slice(0, 8), 16) : seed };
}

/** Reports whether the plan has shuffled data that VUs share. */
export function sharesShuffledData({ data }: Plan): boolean {
  return Object.values(data ?? {}).some(({ pick, mode }) =>
    pick === "shuffle" && mode !== "per_vu"
  );
}

function randomSeed(): number {
  return Math.floor(Math.random() * 2 ** 32);
}

function hashPlan(
  { outputs: _outputs, env: _overlays, ...plan }: Plan,
  readFile: IdentityOptions["readFile"],
): string {
  const files: Record<string, string> = {};
  for (const one of [...Object.values(plan.data ?? {}), ...Object.values(plan.scenarios)]) {
    if ("path" in one) files[one.path] = hash("sha256", readFile(one.path));
  }
  const text = JSON.stringify(
    { plan, files },
    (_, value) => typeof value === "bigint" ? `${value}n` : value,
  );
  return hash("sha256", text);
}
