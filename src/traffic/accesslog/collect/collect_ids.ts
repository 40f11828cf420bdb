import { COMMA, SLASH } from "../../../base/ascii.ts";
import { MAX_LINE_BYTES } from "../read/text/line_bounds.ts";
import { writeUrl } from "./collect_queries.ts";
import { EndpointValues } from "./endpoint_values.ts";
import { isId, SEGMENT_CLASS } from "../read/endpoint/id_segment.ts";
import { isNormalPath, writeTemplateText } from "../read/endpoint/path_text.ts";

/** Maximum number of distinct ids that are counted exactly, across all endpoints. */
const MAX_IDS = 1 << 18;

/**
 * Creates a collector that counts the ids in request paths by endpoint, together with the query, so
 * that a plan can send both of one request. A value is the ids, joined with commas, and the query,
 * which starts with `?` unless it is empty.
 */
export function collectIds(): EndpointValues {
  const normal = new Uint8Array(MAX_LINE_BYTES * 3);
  return new EndpointValues("ids", MAX_IDS, (request, out) => {
    if (!request.key.route.hasId) return -1;
    const { bytes, from, pathEnd, to } = request.target();
    const ids = isNormalPath(bytes, from, pathEnd)
      ? writeIds(bytes, from, pathEnd, out)
      : writeIds(normal, 0, writeTemplateText(bytes, from, pathEnd, normal), out);
    const query = ids < 0 ? -1 : writeUrl(bytes, pathEnd, to, out.subarray(ids));
    return query < 0 ? -1 : ids + query;
  });
}

/**
 * Writes the ids in the path `bytes[from, pathEnd)` to `out`, joined by commas. Returns the number
 * of bytes written, or -1 if the path contains no id or `out` is too small.
 */
function writeIds(bytes: Uint8Array, from: number, pathEnd: number, out: Uint8Array): number {
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
