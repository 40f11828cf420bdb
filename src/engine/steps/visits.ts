import { InputError } from "../../base/errors.ts";
import { durationMs } from "../../base/format.ts";
import type { StepRuntime } from "./step_runtime.ts";
import type { Place, Row } from "../vu/vu.ts";

/**
 * `visits` step: replays the recorded visit at the iteration's place in the schedule. A request is
 * sent at its recorded time after the start of the visit, or later if the responses take longer.
 */
export const visits: StepRuntime<"visits"> = {
  compile({ data, max_pause, requests }, scope, compileSteps) {
    const { index, rows } = scope.sources.get(data)!;
    const numbers = new Map(requests.map(({ name }, i) => [name, i]));
    const ops = requests.map(({ steps }) => compileSteps(steps, scope));
    const { starts, places, times } = readVisits(rows, numbers, {
      source: data,
      maxSeconds: max_pause === undefined ? Infinity : durationMs(max_pause)! / 1_000,
    });
    const count = starts.length - 1;
    return async (vu) => {
      const visit = vu.place === undefined ? vu.random.int(0, count - 1) : visitAt(vu.place, count);
      const startedAt = vu.clock.now();
      for (let i = starts[visit]; i < starts[visit + 1]; i++) {
        const time = startedAt + times[i];
        if (time > vu.clock.now()) await vu.pauseUntil(time);
        vu.rows[index] = rows[i];
        await ops[places[i]](vu);
      }
    };
  },
  conditions: () => [],
  lists: ({ requests }) => requests.map(({ steps }) => steps),
};

/** Number of consecutive visits that the starts at their place take in turn. */
const TURN = 32;
/** Tolerance for rounding. */
const EPSILON = 1e-6;

/**
 * Returns the index of the visit, of `count`, that starts at a place in the schedule. If there are
 * more starts than visits, every visit is used equally often, and consecutive starts use different
 * visits: copies that start together would send their requests together.
 */
function visitAt({ index, of }: Place, count: number): number {
  const nearest = Math.min(count - 1, Math.floor(index / of * count + EPSILON));
  if (of <= count) return nearest;
  const first = nearest - nearest % TURN;
  const before = Math.ceil(first * of / count - EPSILON);
  const turn = Math.max(0, Math.floor(index + EPSILON) - before);
  return first + turn % Math.min(TURN, count - first);
}

/** Visits in the rows of a data source. */
interface Visits {
  /** First row of each visit, and the number of rows. */
  readonly starts: readonly number[];
  /** For each row, the index of its request. */
  readonly places: Uint32Array;
  /** For each row, the time after the start of the visit, in milliseconds. */
  readonly times: Float64Array;
}

function readVisits(
  rows: readonly Row[],
  numbers: ReadonlyMap<string, number>,
  { source, maxSeconds }: { readonly source: string; readonly maxSeconds: number },
): Visits {
  const starts: number[] = [];
  const places = new Uint32Array(rows.length);
  const times = new Float64Array(rows.length);
  for (const [i, { start = "", pause, request }] of rows.entries()) {
    const isFirst = start !== "";
    if (isFirst) starts.push(i);
    const seconds = isFirst ? 0 : Number(pause);
    const number = numbers.get(String(request));
    if (starts.length === 0 || !(seconds >= 0) || number === undefined) {
      const why = starts.length === 0
        ? "the first row has no `start`"
        : number === undefined
        ? `\`requests\` has no entry for ${JSON.stringify(request)}`
        : `\`pause\` is ${JSON.stringify(pause)}, expected a number of seconds`;
      const message = `cannot replay the visits in row ${i + 1} of \`data.${source}\`: ${why}`;
      throw new InputError(message, { source: "data" });
    }
    places[i] = number;
    times[i] = isFirst ? 0 : times[i - 1] + 1_000 * Math.min(seconds, maxSeconds);
  }
  starts.push(rows.length);
  return { starts, places, times };
}
