import fc from "fast-check";
import { COMBINED } from "../../src/traffic/accesslog/formats/formats.ts";
import { profileText } from "../../src/traffic/accesslog/profile_text.ts";
import { logArbitrary, noiseArbitrary } from "../../tests/support/accesslog_lines.ts";
import { assertScannedAsReference, scanned } from "../../tests/support/accesslog_property.ts";
import { readLines } from "../../tests/support/read_lines.ts";
import type { Trials } from "../../tests/support/trials.ts";
import type { Target } from "./target.ts";

const LF = 0x0a;

/** Logs of hundreds of lines: most of the time is spent on lines then, and little on profiles. */
const log = fc.array(
  fc.oneof({ weight: 6, arbitrary: logArbitrary }, { weight: 1, arbitrary: noiseArbitrary }),
  { minLength: 1, maxLength: 100, size: "max" },
).map(joined);
const chunkLength = fc.integer({ min: 1, max: 4_000 });

/** The fast scanner finds what the slow reference finds, in any chunks. */
export const scannedLines: Target = {
  name: "access log: scanner = reference",
  unit: "lines",
  long: 10_000_000,
  perTrial: 300,
  run: (trials) => counted(trials, assertScannedAsReference),
};

/** The reader of any format finds in the combined format what the scanner finds. */
export const readByFormat: Target = {
  name: "access log: any-format reader = scanner",
  unit: "lines",
  long: 1_000_000,
  perTrial: 300,
  run: (trials) =>
    counted(trials, (log, chunkLength) => {
      if (profileText(readLines(log, COMBINED, { chunkLength })) !== profileText(scanned(log))) {
        throw new Error("the profiles differ");
      }
    }),
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
