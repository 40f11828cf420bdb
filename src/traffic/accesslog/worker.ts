import { buildFilters } from "./collect/filters.ts";
import type { LogCollector } from "./collect/collector.ts";
import type { CountedFilter } from "./collect/filters.ts";
import { LogScanner } from "./log_scanner.ts";
import { Tally } from "./profile/traffic_profile.ts";
import {
  createCollector,
  type ReadingReference,
  scanSlices,
  type SlicedFile,
  type WorkerResult,
} from "./slices.ts";

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
  const use = createUse(sliced.reading);
  const tally = new Tally();
  const scanner = new LogScanner(tally, sliced.reading.format, use);
  const read = scanSlices(sliced, scanner, () => tally.table.size < MAX_ENDPOINTS);
  scanner.finish();
  return {
    tally: tally.data(),
    read,
    dropped: use.filters.map(({ dropped }) => dropped),
    collected: use.collectors.map((collector) => collector.data?.() ?? collector.toJson()),
  };
}

function createUse({ filters, collectors }: ReadingReference): {
  readonly filters: readonly CountedFilter[];
  readonly collectors: readonly LogCollector[];
} {
  return { filters: buildFilters(filters), collectors: collectors.map(createCollector) };
}
