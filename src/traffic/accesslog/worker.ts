import { buildFilters } from "./collect/filters.ts";
import { LogScanner } from "./log_scanner.ts";
import { Tally } from "./profile/traffic_profile.ts";
import { createCollector, scanSlices, type SlicedFile, type WorkerResult } from "./slices.ts";

interface WorkerScope {
  onmessage: (event: MessageEvent<SlicedFile>) => void;
  postMessage(message: WorkerResult | undefined): void;
}

/** A worker then stops taking slices, because its table would need too much memory. */
const MAX_ENDPOINTS = 200_000;

const scope = self as unknown as WorkerScope;
scope.onmessage = ({ data }) => {
  let result: WorkerResult | undefined;
  try {
    result = readSlices(data);
  } catch {
    // The main thread then reads this worker's slices itself and reports any error.
  }
  scope.postMessage(result);
};

function readSlices(sliced: SlicedFile): WorkerResult {
  const { format, ...reading } = sliced.reading;
  const filters = buildFilters(reading.filters);
  const collectors = reading.collectors.map(createCollector);
  const tally = new Tally();
  const scanner = new LogScanner(tally, format, { filters, collectors });
  const read = scanSlices(sliced, scanner, () => tally.table.size < MAX_ENDPOINTS);
  scanner.finish();
  return {
    tally: tally.data(),
    read,
    dropped: filters.map(({ dropped }) => dropped),
    collected: collectors.map((collector) => collector.toJson()),
  };
}
