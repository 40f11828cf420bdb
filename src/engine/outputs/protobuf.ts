/** Writes protocol-buffers messages: the few kinds of field that are needed. */
export class ProtobufWriter {
  readonly #parts: number[] = [];

  /** A field of text. */
  text(field: number, value: string): this {
    return this.#bytes(field, new TextEncoder().encode(value));
  }

  /** A message within this one. */
  message(field: number, write: (writer: ProtobufWriter) => void): this {
    const writer = new ProtobufWriter();
    write(writer);
    return this.#bytes(field, writer.#parts);
  }

  /** A field of a whole number from 0 to 2^53. */
  varint(field: number, value: number): this {
    this.#varint(field << 3);
    return this.#varint(value);
  }

  /** A field of a float64. */
  double(field: number, value: number): this {
    this.#varint(field << 3 | 1);
    const bytes = new DataView(new ArrayBuffer(8));
    bytes.setFloat64(0, value, true);
    for (let i = 0; i < 8; i++) this.#parts.push(bytes.getUint8(i));
    return this;
  }

  /** What was written. */
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
