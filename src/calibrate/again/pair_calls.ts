import { type Gap, type Match, matchSequences } from "../../correlation/match.ts";
import { urlShape } from "../../outcome/url_shape.ts";
import type { RecordedRequest } from "../../traffic/har/recording.ts";

/**
 * Features by which calls are matched, from strict to lax. Each returns a string that is equal for
 * matching calls.
 */
const FEATURES: readonly ((request: RecordedRequest) => string)[] = [
  ({ method, url }) => `${method} ${hostOf(url)} ${urlShape(url)}`,
  ({ method, url }) => `${method} ${urlShape(url).replace(/[?#].*$/s, "")}`,
  ({ method, url }) => `${method} ${pathForm(url)}`,
];

/**
 * Pairs the requests of two recordings of the same session, and keeps their order. First pairs
 * requests with the same method, host, path (without values) and parameter names. Then, between
 * these pairs, pairs requests with the same method and path. Finally pairs requests with the same
 * method, host and number of path segments whose paths differ only in the last segment. Returns the
 * indexes of the pairs in ascending order.
 */
export function pairCalls(
  first: readonly RecordedRequest[],
  second: readonly RecordedRequest[],
): Match[] {
  let gaps: readonly Gap[] = [{ a: [0, first.length], b: [0, second.length] }];
  const pairs: Match[] = [];
  for (const feature of FEATURES) {
    const ids = new Map<string, number>();
    const number = (request: RecordedRequest) => {
      const key = feature(request);
      if (!ids.has(key)) ids.set(key, ids.size);
      return ids.get(key)!;
    };
    const [a, b] = [first.map(number), second.map(number)];
    gaps = gaps.flatMap((gap) => {
      const found = matchSequences(a, b, gap);
      pairs.push(...found.matches);
      return found.gaps.flatMap((rest) => {
        const matches = matchInOrder(a, b, rest);
        pairs.push(...matches);
        return gapsBetween(rest, matches);
      });
    });
  }
  return pairs.sort(([i], [j]) => i - j);
}

/**
 * Maximum number of requests of the second recording in which `matchInOrder` searches for one
 * match.
 */
const LONGEST_SKIP = 50;

/**
 * Matches each element of `a` in an unmatched range (`gap`) with the next equal element of `b` in
 * that range.
 */
function matchInOrder(a: readonly number[], b: readonly number[], gap: Gap): Match[] {
  const matches: Match[] = [];
  let next = gap.b[0];
  for (let i = gap.a[0]; i < gap.a[1]; i++) {
    const end = Math.min(gap.b[1], next + LONGEST_SKIP);
    for (let j = next; j < end; j++) {
      if (a[i] !== b[j]) continue;
      matches.push([i, j]);
      next = j + 1;
      break;
    }
  }
  return matches;
}

function gapsBetween({ a, b }: Gap, matches: readonly Match[]): Gap[] {
  const gaps: Gap[] = [];
  let [aDone, bDone] = [a[0], b[0]];
  for (const [i, j] of [...matches, [a[1], b[1]] as const]) {
    if (i > aDone && j > bDone) gaps.push({ a: [aDone, i], b: [bDone, j] });
    [aDone, bDone] = [i + 1, j + 1];
  }
  return gaps;
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? "";
}

/**
 * Returns one string that contains the host, the number of path segments, and all segments except
 * the last one. Omits values in the path.
 */
function pathForm(url: string): string {
  const segments = URL.parse(url)?.pathname.split("/") ?? [];
  return `${hostOf(url)} ${segments.length} ${segments.slice(0, -1).map(urlShape).join("/")}`;
}
