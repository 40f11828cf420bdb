import fc from "fast-check";
import { logArbitrary, noiseArbitrary } from "../../tests/builders/accesslog_lines.ts";
import { assertMatchesReference } from "../../tests/properties/accesslog_scan.ts";
import {
  assertCounterMatchesReader,
  shapedLog,
} from "../../tests/properties/counter_matches_reader.ts";
import {
  assertSelectedMatchesReader,
  filters,
  HOST_FORMAT,
  hostFilters,
  hostLog,
  kinds,
} from "../../tests/properties/selected_requests.ts";
import { SHAPED } from "../../tests/builders/shaped_formats.ts";
import type { Trials } from "../../tests/support/trials.ts";
import type { Target } from "./target.ts";

const LF = 0x0a;

/**
 * Generates logs of hundreds of lines. With shorter logs, most of the time would be spent on
 * creating and comparing traffic profiles instead of reading lines.
 */
const log = fc.array(
  fc.oneof({ weight: 6, arbitrary: logArbitrary }, { weight: 1, arbitrary: noiseArbitrary }),
  { minLength: 1, maxLength: 100, size: "max" },
).map(joined);
const chunkLength = fc.integer({ min: 1, max: 4_000 });
/**
 * Maximum number of lines in a log of one format. With at most 100 lines per log, most of the time
 * would be spent on creating the readers.
 */
const MAX_LINES = 1_000;
/** Maximum number of lines in a log whose requests are filtered and collected. */
const MAX_SELECTED_LINES = 300;

/**
 * Checks that the scanner builds the same traffic profile from a log as the slow reference
 * implementation, regardless of the chunks into which the log is split.
 */
export const scannedLines: Target = {
  name: "access log: scanner = reference",
  unit: "lines",
  long: 10_000_000,
  perTrial: 300,
  run: (trials) => counted(trials, assertMatchesReference),
};

/** Checks that `LineCounter` and `RequestReader` agree on lines of every format. */
export const countedLines: Target = {
  name: "access log: counter = request reader, every format",
  unit: "lines",
  long: 10_000_000,
  perTrial: 400,
  run: (trials) => {
    let lines = 0;
    const format = fc.constantFrom(...SHAPED.map(([, format]) => format));
    const logs = format.chain((format) =>
      fc.tuple(fc.constant(format), shapedLog(format, MAX_LINES))
    );
    fc.assert(
      fc.property(logs, chunkLength, ([format, log], chunkLength) => {
        assertCounterMatchesReader(log, format, chunkLength);
        for (const byte of log) if (byte === LF) lines++;
      }),
      trials,
    );
    return lines;
  },
};

/**
 * Checks that `LineCounter` and `RequestReader` pass the same requests to filters and to
 * collectors, which gather data such as ids and visits from a log.
 */
export const selectedLines: Target = {
  name: "access log: filters and collectors, counter = request reader",
  unit: "lines",
  long: 2_000_000,
  perTrial: 100,
  run: async (trials) => {
    let lines = 0;
    const shaped = fc.constantFrom(...SHAPED.map(([, format]) => format))
      .chain((format) =>
        fc.tuple(fc.constant(format), shapedLog(format, MAX_SELECTED_LINES), filters)
      );
    const host = fc.tuple(fc.constant(HOST_FORMAT), hostLog(MAX_SELECTED_LINES), hostFilters);
    const logs = fc.oneof({ weight: 3, arbitrary: shaped }, { weight: 1, arbitrary: host });
    await fc.assert(
      fc.asyncProperty(
        logs,
        kinds,
        chunkLength,
        async ([format, log, options], kinds, chunkLength) => {
          await assertSelectedMatchesReader(log, format, kinds, options, chunkLength);
          for (const byte of log) if (byte === LF) lines++;
        },
      ),
      trials,
    );
    return lines;
  },
};

function counted(
  trials: Trials,
  check: (log: Uint8Array, chunkLength: number) => void,
): number {
  let lines = 0;
  fc.assert(
    fc.property(log, chunkLength, (log, chunkLength) => {
      check(log, chunkLength);
      for (const byte of log) if (byte === LF) lines++;
    }),
    trials,
  );
  return lines;
}

function joined(logs: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(logs.reduce((sum, { length }) => sum + length + 1, 0));
  let at = 0;
  for (const log of logs) {
    all.set(log, at);
    at += log.length;
    all[at++] = LF;
  }
  return all;
}
