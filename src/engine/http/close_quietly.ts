/** Closes what may have been closed before. */
export function closeQuietly(connection: { close(): void }): void {
  try {
    connection.close();
  } catch {
    // It was.
  }
}
