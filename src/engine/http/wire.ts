/** A connected byte stream, with or without TLS, such as `Deno.Conn`. One read and one write at a time. */
export interface Wire {
  /** Reads into `into`. Returns the number of bytes, or null at the end. Rejects if closed meanwhile. */
  read(into: Uint8Array): Promise<number | null>;
  /** Writes a part of `bytes` and returns its size. */
  write(bytes: Uint8Array): Promise<number>;
  /** Closes the stream at once; pending reads and writes reject. */
  close(): void;
}
