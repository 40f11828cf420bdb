// Entry point of the thread that searches the bodies of a recording: see `BodyThread`.

import { FileRanges } from "../../base/bytes/file_ranges.ts";
import { RingWriter, type SharedRing, stopRing } from "./body_ring.ts";
import { jsonStart } from "./json_start.ts";
import { type EncodedTexts, LeafScanner } from "./scan/leaf_scanner.ts";
import { TokenScanner } from "./scan/token_scanner.ts";
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
  readonly wanted: EncodedTexts;
  /** Tokens to find, separated by spaces. Undefined if the thread must not search for tokens. */
  readonly tokens: string | undefined;
}

/** First message to the thread that searches bodies. */
export interface BodyStart {
  /** The thread sets the first integer to 1 when it has loaded its modules. */
  readonly ready: Int32Array;
}

interface WorkerScope {
  onmessage: (event: MessageEvent<BodyStart | BodyTask>) => void;
}

const scope = self as unknown as WorkerScope;
scope.onmessage = ({ data }) => {
  if ("ready" in data) {
    Atomics.store(data.ready, 0, 1);
    Atomics.notify(data.ready, 0);
    return;
  }
  try {
    searchBodies(data);
  } catch {
    // The main thread then reads the remaining bodies itself and reports any error.
  } finally {
    stopRing(data.ring);
  }
};

function searchBodies({ path, identity, ring, ranges, searches, wanted, tokens }: BodyTask): void {
  using file = new FileRanges(path);
  if (file.identity !== identity) return;
  const texts = new FileTexts(file);
  const leafScanner = new LeafScanner();
  leafScanner.addEncoded(wanted);
  let tokenScanner: TokenScanner | undefined;
  const writer = new RingWriter(ring);
  for (let i = 0; i < searches.length && !writer.isStopped; i++) {
    if (writer.isLate) {
      writer.leave();
      continue;
    }
    const utf8 = texts.read({ offset: ranges[2 * i], length: ranges[2 * i + 1] });
    const start = jsonStart(utf8, searches[i]);
    const leaves = start < 0 ? undefined : leafScanner.scan(utf8.subarray(start));
    if (leaves !== undefined) writer.add({ utf8, leaves, tokens: undefined });
    else if (tokens === undefined) writer.leave();
    else {
      tokenScanner ??= new TokenScanner(tokens.split(" "));
      writer.add({ utf8, leaves, tokens: tokenScanner.find(utf8) });
    }
  }
}
