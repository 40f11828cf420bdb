import { firstBadByte, utf8Text, wideEncoding } from "../../base/utf8.ts";
import type { LocatedDiagnostic } from "../rules/diagnostic.ts";
import { LineIndex } from "../rules/line_index.ts";

/**
 * Decodes a plan from UTF-8 and removes the byte order mark, if any. Returns a diagnostic if the
 * bytes are not valid UTF-8.
 */
export function decodePlan(bytes: Uint8Array): string | LocatedDiagnostic {
  const wide = wideEncoding(bytes);
  if (wide) return encodingError(`the text is ${wide}: expected UTF-8`, 0, bytes);
  return utf8Text(bytes)?.replace(/^\ufeff/, "") ??
    encodingError("the text is not UTF-8", firstBadByte(bytes), bytes);
}

function encodingError(message: string, offset: number, bytes: Uint8Array): LocatedDiagnostic {
  const before = new TextDecoder().decode(bytes.subarray(0, offset));
  const place = new LineIndex(before).place(before.length);
  const hint = "save the file as UTF-8";
  return { code: "bad-encoding", severity: "error", path: [], message, hint, ...place };
}
