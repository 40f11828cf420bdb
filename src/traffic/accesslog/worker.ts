import { FORMATS } from "./formats/formats.ts";
import { LogScanner } from "./log_scanner.ts";
import { scanSlices, type SlicedFile, type SliceRead } from "./slices.ts";
import { Tally, type TallyData } from "./profile/tally.ts";

/**
 * Result that a worker posts after its last slice. If the worker fails, it posts `undefined`
 * instead.
 */
export interface SliceWorkerResult {
  readonly tally: TallyData;
  readonly read: readonly SliceRead[];
}

interface WorkerScope {
  onmessage: (event: MessageEvent<SlicedFile>) => void;
  postMessage(result: SliceWorkerResult | undefined, transfer: Transferable[]): void;
}

/**
 * Number of distinct endpoints at which a worker stops taking slices, because its table would need
 * too much memory.
 */
const MAX_ENDPOINTS = 200_000;

const scope = self as unknown as WorkerScope;
scope.onmessage = ({ data }) => {
  try {
    const tally = new Tally();
    const scanner = new LogScanner(tally, FORMATS[data.format]);
    const read = scanSlices(data, scanner, () => tally.endpoints.size < MAX_ENDPOINTS);
    scanner.finish();
    const result = { tally: tally.data(), read };
    scope.postMessage(result, transferables(result.tally));
  } catch {
    // The main thread then reads this worker's slices itself and reports any error.
    scope.postMessage(undefined, []);
  }
};

function transferables({ seconds, endpoints }: TallyData): ArrayBuffer[] {
  const arrays = [seconds.counts, ...Object.values(endpoints).filter(ArrayBuffer.isView)];
  return arrays.map(({ buffer }) => buffer as ArrayBuffer);
}
