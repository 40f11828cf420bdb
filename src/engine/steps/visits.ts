import { InputError } from "../../base/errors.ts";
import { durationMs } from "../../base/format.ts";
import type { StepRuntime } from "./step_runtime.ts";
import type { Row } from "../vu/vu.ts";

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
      // The place of iteration n of N is n / N, rounded.
      const visit = vu.place === undefined
        ? vu.random.int(0, count - 1)
        : Math.min(count - 1, Math.floor(vu.place * count + 1e-6));
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
