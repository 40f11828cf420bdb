import type { Point } from "../../outputs/points.ts";
import { labelName, PREFIX } from "../../outputs/prometheus_text.ts";
import { ProtobufWriter } from "../../outputs/protobuf.ts";
import { snappyBlock } from "../../outputs/snappy.ts";

/** HTTP headers of a Prometheus remote write request (protocol 1.0). */
export const REMOTE_WRITE_HEADERS: Readonly<Record<string, string>> = {
  "content-encoding": "snappy",
  "content-type": "application/x-protobuf",
  "x-prometheus-remote-write-version": "0.1.0",
};

/**
 * Encodes points as the body of a Prometheus remote write request: a WriteRequest in Protocol
 * Buffers, in a snappy block. `time` is in Unix milliseconds.
 */
export function remoteWrite(points: readonly Point[], time: number): Uint8Array<ArrayBuffer> {
  const request = new ProtobufWriter();
  for (const { name, labels, value } of points) {
    const all = [["__name__", PREFIX + name], ...labels.map(([k, v]) => [labelName(k), v])];
    request.message(1, (series) => {
      for (const [key, text] of all.sort(([a], [b]) => a < b ? -1 : 1)) {
        series.message(1, (label) => label.text(1, key).text(2, text));
      }
      series.message(2, (sample) => sample.double(1, value).varint(2, time));
    });
  }
  return snappyBlock(request.finish());
}
