/** Closes a connection, ignoring errors: it may be closed already. */
export function closeQuietly(connection: { close(): void }): void {
  try {
    connection.close();
  } catch {
    // It was closed before.
  }
}
