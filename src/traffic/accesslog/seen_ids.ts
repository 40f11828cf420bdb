import { EndpointValues } from "./endpoint_values.ts";
import { isId, SEGMENT_CLASS } from "./id_segment.ts";
import type { LogRequest } from "./lines/log_request.ts";

const SLASH = 0x2f;
const COMMA = 0x2c;
/** The most different ids, or ids that go together, that are counted exactly. */
const MOST_IDS = 1 << 20;

/** The ids in the paths of a log, by endpoint; those of one path go together, with commas between. */
export function seenIds(): EndpointValues {
  return new EndpointValues(MOST_IDS, writeIds);
}

function writeIds(request: LogRequest, out: Uint8Array): number {
  if (!request.key.route.hasId) return -1;
  const { bytes, from, pathEnd } = request.target();
  let length = 0;
  for (let start = from; start < pathEnd;) {
    let end = start + 1;
    let classes = 0;
    for (; end < pathEnd && bytes[end] !== SLASH; end++) classes |= SEGMENT_CLASS[bytes[end]];
    if (isId(bytes, start + 1, end, classes)) {
      if (length + end - start > out.length) return -1;
      if (length > 0) out[length++] = COMMA;
      for (let i = start + 1; i < end; i++) out[length++] = bytes[i];
    }
    start = end;
  }
  return length === 0 ? -1 : length;
}
