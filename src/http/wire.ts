/**
 * Connected byte stream, with or without TLS, such as `Deno.Conn`. At most one read and one write
 * may be pending at a time.
 */
export interface Wire {
  /**
   * Reads bytes into `into`. Returns the number of bytes read, or null at the end of the stream.
   * Rejects if the stream is closed during the read.
   */
  read(into: Uint8Array): Promise<number | null>;
  /**
   * Writes at least one byte from the beginning of `bytes`. Returns the number of bytes written.
   */
  write(bytes: Uint8Array): Promise<number>;
  /** Closes the stream at once; pending reads and writes reject. */
  close(): void;
}

/** Closes a connection. Ignores errors, because the connection may already be closed. */
export function closeQuietly(connection: { close(): void }): void {
  try {
    connection.close();
  } catch {
    // It was already closed.
  }
}

const settled = Promise.resolve();
let batchAt = NaN;
const endBatch = () => void (batchAt = NaN);

/**
 * Returns the time at which the event loop delivered the current batch of completed reads and
 * writes. All reads of a batch have completed before any of their callbacks run, so taking the
 * time once per batch is more accurate than once per response. bench: scripts/bench/engine.ts
 */
export function batchTime(): number {
  if (batchAt !== batchAt) {
    batchAt = performance.now();
    // Runs after all handlers that are already due.
    settled.then(endBatch);
  }
  return batchAt;
}
