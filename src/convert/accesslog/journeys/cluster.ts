import type { VisitSequence } from "../../../traffic/accesslog/visits/visit_table.ts";
import { edits } from "./edits.ts";

/** The most journeys of a plan. */
const MOST_JOURNEYS = 20;
/** A journey is made by at least this share of the visits, and by two. */
const LEAST_SHARE = 0.002;
/** Each edit makes a variant of a journey so many times as rare, if it is noise. */
const NOISE = 0.25;
/** A variant of a journey differs from it in at most this share of the steps. */
const MOST_CHANGED = 0.5;

/** Visits that are taken for one journey. */
export interface Cluster {
  /** The sequence that stands for all of them: the most frequent. */
  readonly leader: VisitSequence;
  /** Every sequence of it, the leader too. */
  readonly members: readonly VisitSequence[];
}

/**
 * Groups sequences, the most frequent first, of two steps or more. One is a journey of its own when it is
 * frequent, and more so than noise on a more frequent one explains; every other one belongs to the
 * journey that it is nearest to, or to none when it is far from all.
 */
export function cluster(sequences: readonly VisitSequence[]): Cluster[] {
  const visits = sequences.reduce((sum, { count }) => sum + count, 0);
  const least = Math.max(2, visits * LEAST_SHARE);
  const clusters: { leader: VisitSequence; members: VisitSequence[] }[] = [];
  for (const sequence of sequences) {
    if (sequence.count < least || clusters.length === MOST_JOURNEYS) break;
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

/** The edits between two sequences; infinite when they have little in common. */
function distance({ steps: a }: VisitSequence, { steps: b }: VisitSequence): number {
  const most = Math.floor(MOST_CHANGED * Math.max(a.length, b.length));
  const found = edits(a, b, most);
  return found > most ? Infinity : found;
}
