import type { Summary } from "../engine/summary/summary.ts";

/**
 * Lists why a summary is incomplete: it covers one shard, the run was interrupted, or `merge --allow`
 * accepted flaws. Empty for a complete run.
 */
export function incompleteness({ shards, accepted, ending }: Summary): string[] {
  if (accepted.length > 0) return accepted.map(({ message }) => message);
  const isShard = shards.length === 1 && shards[0].shard !== "1/1";
  return [
    ...(isShard
      ? [`shard ${shards[0].shard} only: run \`rehearse merge\` to evaluate all shards`]
      : []),
    ...(ending === "interrupted" ? ["interrupted"] : []),
  ];
}
