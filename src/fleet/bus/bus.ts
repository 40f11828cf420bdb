/**
 * Connection to a message bus. Delivers each message at most once, and keeps the messages of each
 * sender in order. Drops messages that are published while the bus is unreachable.
 */
export interface Bus {
  /** True if the bus can be reached. */
  readonly connected: boolean;
  /** Maximum size of a message in bytes. */
  readonly maxBytes: number;
  publish(subject: string, bytes: Uint8Array): void;
  /** Calls `receive` for each message that is published on `subject`. */
  subscribe(subject: string, receive: (bytes: Uint8Array) => void): void;
  /** Calls `changed` whenever `connected` changes. */
  onChange(changed: () => void): void;
  /** Closes the connection. If the bus can be reached, sends all published messages first. */
  close(): Promise<void>;
}
