import type { VisitSequence } from "../../../traffic/accesslog/collect/visits/visit_table.ts";

/** Maximum number of visit patterns in a plan. */
const MOST_PATTERNS = 20;
/**
 * Minimum number of visits that follow a pattern, as a fraction of all visits. A pattern also needs
 * at least 2 visits.
 */
const LEAST_SHARE = 0.002;
/**
 * Factor by which each edit is expected to reduce the frequency of a noisy variant of a sequence.
 */
const NOISE = 0.25;
/**
 * Maximum number of edits between a sequence and the leader of its cluster, as a fraction of the
 * number of steps of the longer one.
 */
const MOST_CHANGED = 0.5;

/** A group of similar visits that one pattern of the plan represents. */
export interface Cluster {
  /** The most frequent sequence of the cluster, which represents all the others. */
  readonly leader: VisitSequence;
  /** All sequences of the cluster, including the leader. */
  readonly members: readonly VisitSequence[];
}

/**
 * Groups similar sequences. `sequences` must have at least two steps each and be sorted by
 * frequency, highest first. A sequence becomes the leader of a cluster if it is frequent, and is
 * more frequent than a noisy variant of any earlier leader would be. Each sequence joins the
 * cluster with the nearest leader, unless it is too different from all leaders.
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

/**
 * Returns the edit distance between two sequences, or Infinity if it exceeds half the number of
 * steps of the longer one.
 */
function distance({ steps: a }: VisitSequence, { steps: b }: VisitSequence): number {
  const most = Math.floor(MOST_CHANGED * Math.max(a.length, b.length));
  const found = edits(a, b, most);
  return found > most ? Infinity : found;
}

/**
 * Returns the Levenshtein distance between two sequences: the minimum number of deletions,
 * insertions and changes of elements that turn one into the other. Returns `most + 1` if the
 * distance exceeds `most`.
 */
export function edits(a: readonly number[], b: readonly number[], most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const changed = row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      next[j] = Math.min(changed, row[j] + 1, next[j - 1] + 1);
      least = Math.min(least, next[j]);
    }
    if (least > most) return most + 1;
    row = next;
  }
  return Math.min(row[b.length], most + 1);
}
