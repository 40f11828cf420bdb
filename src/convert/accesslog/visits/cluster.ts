import type { VisitSequence } from "../../../traffic/accesslog/visits/visit_table.ts";
import { edits } from "./edits.ts";

/** Maximum number of visit patterns in a plan. */
const MOST_PATTERNS = 20;
/** Minimum share of the visits that a pattern needs, and at least two visits. */
const LEAST_SHARE = 0.002;
/** Each edit reduces the expected frequency of a noisy variant of a pattern by this factor. */
const NOISE = 0.25;
/** Maximum share of the steps in which a variant differs from its pattern. */
const MOST_CHANGED = 0.5;

/** Similar visits, represented by one pattern. */
export interface Cluster {
  /** The most frequent sequence, which represents all of them. */
  readonly leader: VisitSequence;
  /** All sequences of the cluster, including the leader. */
  readonly members: readonly VisitSequence[];
}

/**
 * Groups sequences of at least two steps, given in descending order of frequency. A sequence leads a
 * cluster if it is frequent, and more frequent than a noisy variant of an earlier leader would be. Every
 * sequence joins the cluster with the nearest leader, or none if all leaders are too far.
 */
export function cluster(sequences: readonly VisitSequence[]): Cluster[] {
  const visits = sequences.reduce((sum, { count }) => sum + count, 0);
  const least = Math.max(2, visits * LEAST_SHARE);
  const clusters: { leader: VisitSequence; members: VisitSequence[] }[] = [];
  for (const sequence of sequences) {
    if (sequence.count < least || clusters.length === MOST_PATTERNS) break;
    const isNoise = clusters.some(({ leader }) =>
      sequence.count <= leader.count * NOISE ** distance(sequence, leader)
    );
    if (!isNoise) clusters.push({ leader: sequence, members: [] });
  }
  for (const sequence of sequences) {
    let nearest: typeof clusters[number] | undefined;
    let fewest = Infinity;
    for (const one of clusters) {
      const found = distance(sequence, one.leader);
      if (found < fewest) [nearest, fewest] = [one, found];
    }
    nearest?.members.push(sequence);
  }
  return clusters;
}

/** Returns the edit distance of two sequences; Infinity if they have little in common. */
function distance({ steps: a }: VisitSequence, { steps: b }: VisitSequence): number {
  const most = Math.floor(MOST_CHANGED * Math.max(a.length, b.length));
  const found = edits(a, b, most);
  return found > most ? Infinity : found;
}
