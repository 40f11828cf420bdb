import type { Summary } from "../engine/summary.ts";

/**
 * Lists why a summary does not show a complete run: it is of one shard, was interrupted, or `merge
 * --allow` accepted flaws. Empty for a complete run.
 */
export function incompleteness({ shards, accepted, ending }: Summary): string[] {
  if (accepted.length > 0) return accepted.map(({ message }) => message);
  const isShard = shards.length === 1 && shards[0].shard !== "1/1";
  return [
    ...(isShard ? [`shard ${shards[0].shard} only: \`rehearse merge\` judges all shards`] : []),
    ...(ending === "interrupted" ? ["interrupted"] : []),
  ];
}
