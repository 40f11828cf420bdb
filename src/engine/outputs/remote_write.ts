import { METRIC_PREFIX, type Point } from "./points.ts";

/**
 * Returns the labels of a point together with the labels of `identity`. If both contain the same
 * name, uses the label of the point. Converts all names to valid label names.
 */
export function withIdentity(
  labels: Point["labels"],
  identity: Point["labels"],
): Point["labels"] {
  const all = new Map(identity.map(([name, value]) => [labelName(name), value]));
  for (const [name, value] of labels) all.set(labelName(name), value);
  return [...all];
}

function labelName(tag: string): string {
  return tag.replace(/[^a-zA-Z0-9_]/g, "_").replace(/^(?=\d)/, "_");
}

/** HTTP headers of a Prometheus remote write request (protocol 1.0). */
export const REMOTE_WRITE_HEADERS: Readonly<Record<string, string>> = {
  "content-encoding": "snappy",
  "content-type": "application/x-protobuf",
  "x-prometheus-remote-write-version": "0.1.0",
};

/**
 * Encodes points as the body of a Prometheus remote write request: a WriteRequest in Protocol
 * Buffers, in a snappy block. `time` is in Unix milliseconds, and `identity` contains labels to add
 * to all points.
 */
export function remoteWrite(
  points: readonly Point[],
  time: number,
  identity: Point["labels"] = [],
): Uint8Array<ArrayBuffer> {
  const request = new ProtobufWriter();
  for (const { name, labels, value } of points) {
    const all = [
      ["__name__", METRIC_PREFIX + name],
      ...withIdentity(labels, identity).map(([key, text]) => [key, text]),
    ];
    request.message(1, (series) => {
      for (const [key, text] of all.sort(([a], [b]) => a < b ? -1 : 1)) {
        series.message(1, (label) => label.text(1, key).text(2, text));
      }
      series.message(2, (sample) => sample.double(1, value).varint(2, time));
    });
  }
  return snappyBlock(request.finish());
}

/** Writes a Protocol Buffers message. Supports only the field types that remote write needs. */
class ProtobufWriter {
  readonly #parts: number[] = [];

  text(field: number, value: string): this {
    return this.#bytes(field, new TextEncoder().encode(value));
  }

  /** Writes a nested message. `write` writes its fields. */
  message(field: number, write: (writer: ProtobufWriter) => void): this {
    const writer = new ProtobufWriter();
    write(writer);
    return this.#bytes(field, writer.#parts);
  }

  /** Writes a varint field. `value` is an integer from 0 to 2^53. */
  varint(field: number, value: number): this {
    this.#varint(field << 3);
    return this.#varint(value);
  }

  /** Writes a 64-bit floating-point field. */
  double(field: number, value: number): this {
    this.#varint(field << 3 | 1);
    const bytes = new DataView(new ArrayBuffer(8));
    bytes.setFloat64(0, value, true);
    for (let i = 0; i < 8; i++) this.#parts.push(bytes.getUint8(i));
    return this;
  }

  /** Returns the bytes of the message. */
  finish(): Uint8Array<ArrayBuffer> {
    return Uint8Array.from(this.#parts);
  }

  #bytes(field: number, bytes: ArrayLike<number>): this {
    this.#varint(field << 3 | 2);
    this.#varint(bytes.length);
    for (let i = 0; i < bytes.length; i++) this.#parts.push(bytes[i]);
    return this;
  }

  #varint(value: number): this {
    for (; value >= 128; value = Math.floor(value / 128)) this.#parts.push(value % 128 | 128);
    this.#parts.push(value);
    return this;
  }
}

/**
 * Encodes bytes as a snappy block that contains only literals. The block is valid but not
 * compressed.
 */
export function snappyBlock(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const parts: number[] = [];
  for (let length = bytes.length;; length >>>= 7) {
    if (length < 128) {
      parts.push(length);
      break;
    }
    parts.push(length & 127 | 128);
  }
  const head = Uint8Array.from(parts);
  const chunks = Math.ceil(bytes.length / 65_536);
  const block = new Uint8Array(head.length + bytes.length + 3 * chunks);
  block.set(head);
  for (let from = 0, at = head.length; from < bytes.length; from += 65_536) {
    const chunk = bytes.subarray(from, from + 65_536);
    const last = chunk.length - 1;
    block.set([61 << 2, last & 255, last >>> 8], at);
    block.set(chunk, at + 3);
    at += 3 + chunk.length;
  }
  return block;
}
