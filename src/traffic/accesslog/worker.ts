import { LogScanner } from "./log_scanner.ts";
import { Tally, type TallyData } from "./profile/tally.ts";
import { createReading } from "./reading.ts";
import { openSliced, scanSlice, SliceCounters, type SlicedFile, type SliceRead } from "./slices.ts";
import { transferables } from "./transferables.ts";

/** Result that a worker posts after its last slice. */
export interface WorkerResult {
  readonly tally: TallyData;
  readonly read: readonly SliceRead[];
  /** Number of requests that each filter dropped. */
  readonly dropped: readonly number[];
  /** Contents of each collector that does not depend on the order of the log. */
  readonly collected: readonly unknown[];
}

/** Records of one slice, which a worker posts if a collector depends on the order of the log. */
export interface SliceRecords {
  /** Index of the slice. */
  readonly slice: number;
  /** Result of `SliceRecorder.take` for each recorder. */
  readonly records: readonly unknown[];
}

/** Message from a worker. Undefined if the worker failed. */
export type WorkerMessage = WorkerResult | SliceRecords | undefined;

interface WorkerScope {
  onmessage: (event: MessageEvent<SlicedFile>) => void;
  postMessage(message: WorkerMessage, transfer: Transferable[]): void;
}

/**
 * Number of distinct endpoints at which a worker stops taking slices, because its table would need
 * too much memory.
 */
const MAX_ENDPOINTS = 200_000;

const scope = self as unknown as WorkerScope;
scope.onmessage = ({ data }) => {
  try {
    const result = readSlices(data);
    scope.postMessage(result, transferables(result));
  } catch {
    // The main thread then reads this worker's slices itself and reports any error.
    scope.postMessage(undefined, []);
  }
};

function readSlices(sliced: SlicedFile): WorkerResult {
  const { format, use, filters, unordered, recorders } = createReading(sliced.reading);
  const tally = new Tally();
  const scanner = new LogScanner(tally, format, use);
  const counters = new SliceCounters(sliced);
  const read: SliceRead[] = [];
  using file = openSliced(sliced);
  for (let slice; (slice = counters.take()) !== undefined;) {
    if (recorders.length > 0) counters.waitForMerge(slice);
    read.push(scanSlice(file, sliced, slice, scanner));
    if (recorders.length > 0) {
      const records = recorders.map((recorder) => recorder.take());
      scope.postMessage({ slice, records }, transferables(records));
    }
    counters.countRead();
    if (tally.endpoints.size >= MAX_ENDPOINTS) break;
  }
  scanner.finish();
  return {
    tally: tally.data(),
    read,
    dropped: filters.map(({ dropped }) => dropped),
    collected: unordered.map((collector) => collector.data()),
  };
}
