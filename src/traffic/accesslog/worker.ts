import { LogScanner } from "./log_scanner.ts";
import { Tally } from "./profile/tally.ts";
import { createReading, transferables } from "./reading.ts";
import {
  openSliced,
  scanSlice,
  SliceCounters,
  type SlicedFile,
  type SliceRead,
  type WorkerResult,
} from "./slices.ts";

interface WorkerScope {
  onmessage: (event: MessageEvent<SlicedFile>) => void;
  postMessage(message: WorkerResult | undefined, transfer: Transferable[]): void;
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
  const { format, use } = createReading(sliced.reading);
  const tally = new Tally();
  const scanner = new LogScanner(tally, format, use);
  const counters = new SliceCounters(sliced);
  const read: SliceRead[] = [];
  using file = openSliced(sliced);
  for (let slice; (slice = counters.take()) !== undefined;) {
    read.push(scanSlice(file, sliced, slice, scanner));
    counters.countRead();
    if (tally.table.size >= MAX_ENDPOINTS) break;
  }
  scanner.finish();
  return {
    tally: tally.data(),
    read,
    dropped: use.filters.map(({ dropped }) => dropped),
    collected: use.collectors.map((collector) => collector.data()),
  };
}
