// Entry point of the thread that searches the bodies of a recording: see `BodyThread`.

import { FileRanges } from "../../base/bytes/file_ranges.ts";
import { claimNext, RingWriter, type SharedRing, stopRing } from "./body_ring.ts";
import { BodyScanner } from "./body_scanner.ts";
import type { EncodedTexts } from "./scan/leaf_scanner.ts";
import { FileTexts } from "./text_store.ts";

/** The bodies that a thread searches, and what it searches them for. */
export interface BodyTask {
  readonly path: string;
  /** Key that `fileIdentity` returned for the file. */
  readonly identity: string;
  readonly ring: SharedRing;
  /** For each body, the offset and the length of its JSON string in the file. */
  readonly ranges: Float64Array;
  /** A `LeafSearch` for each body. */
  readonly searches: Uint8Array;
  /** Index of the first body of each block, and the number of bodies. */
  readonly blocks: Uint32Array;
  readonly wanted: EncodedTexts;
  /** Tokens to find, separated by spaces. Undefined if the thread must not search for tokens. */
  readonly tokens: string | undefined;
}

interface WorkerScope {
  onmessage: (event: MessageEvent<BodyTask>) => void;
}

const scope = self as unknown as WorkerScope;
scope.onmessage = ({ data }) => {
  try {
    searchBodies(data);
  } catch {
    // The main thread then reads the remaining bodies itself and reports any error.
  } finally {
    stopRing(data.ring);
  }
};

function searchBodies(task: BodyTask): void {
  const { path, identity, ring, ranges, searches, blocks } = task;
  using file = new FileRanges(path);
  if (file.identity !== identity) return;
  const texts = new FileTexts(file);
  const tokens = task.tokens?.split(" ");
  const scanner = new BodyScanner(task.wanted, () => tokens);
  const writer = new RingWriter(ring);
  for (;;) {
    const block = claimNext(ring);
    if (block >= blocks.length - 1) return;
    for (let i = blocks[block]; i < blocks[block + 1]; i++) {
      if (writer.isStopped) return;
      const range = { offset: ranges[2 * i], length: ranges[2 * i + 1] };
      const body = scanner.scan(texts.read(range), searches[i]);
      if (body === undefined) writer.leave();
      else writer.add(body);
    }
  }
}
