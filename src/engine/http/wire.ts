/** A connected byte stream, TLS included; `Deno.Conn` is one. One read and one write at a time. */
export interface Wire {
  /** Reads into `into`: how many bytes, or null at the peer's end. Rejects when closed meanwhile. */
  read(into: Uint8Array): Promise<number | null>;
  /** Writes a part of `bytes`, and says how much. */
  write(bytes: Uint8Array): Promise<number>;
  /** Ends it at once; what is pending rejects. */
  close(): void;
}
