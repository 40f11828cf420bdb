/** Writes a Protocol Buffers message. Supports only the field types that remote write needs. */
export class ProtobufWriter {
  readonly #parts: number[] = [];

  /** Writes a string field. */
  text(field: number, value: string): this {
    return this.#bytes(field, new TextEncoder().encode(value));
  }

  /** Writes a nested message, whose fields `write` writes. */
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
