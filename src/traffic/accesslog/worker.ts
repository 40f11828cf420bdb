import { FORMATS } from "./formats/formats.ts";
import { LogScanner } from "./log_scanner.ts";
import { scanSlices, type SlicedFile, type SliceRead } from "./slices.ts";
import { Tally, type TallyData } from "./tally.ts";

/** What a worker sends back when no slice is left: one message, and none if it failed. */
export interface SliceWorkerResult {
  readonly tally: TallyData;
  readonly read: readonly SliceRead[];
}

interface WorkerScope {
  onmessage: (event: MessageEvent<SlicedFile>) => void;
  postMessage(result: SliceWorkerResult | undefined, transfer: Transferable[]): void;
}

/** With so many, one more table costs more memory than another core is worth: the rest is left. */
const MOST_ENDPOINTS = 200_000;

const scope = self as unknown as WorkerScope;
scope.onmessage = ({ data }) => {
  try {
    const tally = new Tally();
    const scanner = new LogScanner(tally, FORMATS[data.format]);
    const read = scanSlices(data, scanner, () => tally.endpoints.size < MOST_ENDPOINTS);
    scanner.finish();
    const result = { tally: tally.data(), read };
    scope.postMessage(result, transferables(result.tally));
  } catch {
    // Whatever it was, the main thread reads these slices itself and meets it there.
    scope.postMessage(undefined, []);
  }
};

function transferables({ seconds, endpoints }: TallyData): ArrayBuffer[] {
  const arrays = [seconds.counts, ...Object.values(endpoints).filter(ArrayBuffer.isView)];
  return arrays.map(({ buffer }) => buffer as ArrayBuffer);
}
