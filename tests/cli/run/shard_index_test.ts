import { assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "../../../src/base/errors.ts";
import { schedulerIndex, selectedShard } from "../../../src/cli/run/shard_index.ts";

const env = (values: Record<string, string>) => (name: string) => values[name];

Deno.test("--shard auto reads the index and the number of processes from the scheduler", () => {
  const read = (values: Record<string, string>, shards?: number) =>
    selectedShard("auto", shards, env(values));
  assertEquals(read({ JOB_COMPLETION_INDEX: "2" }, 5), { index: 2, of: 5 });
  assertEquals(read({ SLURM_PROCID: "0", SLURM_NTASKS: "4" }), { index: 0, of: 4 });
  assertEquals(read({ NOMAD_ALLOC_INDEX: "1" }, 2), { index: 1, of: 2 });
  assertEquals(
    read({ AWS_BATCH_JOB_ARRAY_INDEX: "9", AWS_BATCH_JOB_ARRAY_SIZE: "10" }),
    { index: 9, of: 10 },
  );
});

Deno.test("--shard auto lists the variables that are missing or invalid", () => {
  const cases: readonly (readonly [Record<string, string>, number | undefined, string])[] = [
    [{}, 3, "none is set"],
    [{ JOB_COMPLETION_INDEX: "0" }, undefined, "Kubernetes does not pass the number of processes"],
    [
      { JOB_COMPLETION_INDEX: "3" },
      3,
      "JOB_COMPLETION_INDEX is 3 (counting from 0), but there are only 3",
    ],
    [{ SLURM_PROCID: "-1" }, 3, "SLURM_PROCID cannot be -1"],
  ];
  for (const [values, shards, text] of cases) {
    assertThrows(() => selectedShard("auto", shards, env(values)), UsageError, text);
  }
});

Deno.test("--shard I/N must agree with --shards", () => {
  const second = { index: 1, of: 3 };
  assertEquals(selectedShard(second, undefined, env({})), second);
  assertEquals(selectedShard(second, 3, env({})), second);
  assertThrows(() => selectedShard(second, 4, env({})), UsageError, "differ");
});

Deno.test("schedulerIndex returns the index from the scheduler, or undefined if none is set", () => {
  assertEquals(schedulerIndex(env({ SLURM_PROCID: "7" })), 7);
  assertEquals(schedulerIndex(env({})), undefined);
});
