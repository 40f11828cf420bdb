import { connect } from "@nats-io/transport-node";
import type { Bus } from "./bus.ts";
import type { FleetAddress } from "./fleet_address.ts";

/** Time in ms after which an attempt to connect fails. */
const CONNECT_MS = 5_000;
/** Time in ms between two attempts to reconnect. */
const RECONNECT_MS = 500;
/** Maximum time in ms to wait until a server has received the last messages. */
const FLUSH_MS = 2_000;
/** Interval of pings in ms. A connection without two responses counts as lost. */
const PING_MS = 3_000;

/**
 * Connects to a NATS server. Reconnects for as long as the bus is open if the connection is lost.
 * Rejects if the server cannot be reached or rejects the credentials.
 */
export async function connectNats(
  { server, tls, user, password, token }: FleetAddress,
): Promise<Bus> {
  const connection = await connect({
    servers: server,
    ...(user !== undefined && { user, pass: password }),
    ...(token !== undefined && { token }),
    ...(tls && { tls: {} }),
    timeout: CONNECT_MS,
    reconnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MS,
    pingInterval: PING_MS,
    maxPingOut: 2,
  });
  let connected = true;
  const listeners: (() => void)[] = [];
  const set = (now: boolean) => {
    if (connected === now) return;
    connected = now;
    for (const changed of listeners) changed();
  };
  watch();
  async function watch(): Promise<void> {
    for await (const { type } of connection.status()) {
      if (type === "disconnect" || type === "close") set(false);
      else if (type === "reconnect") set(true);
    }
  }
  return {
    get connected() {
      return connected;
    },
    maxBytes: connection.info?.max_payload ?? 1024 * 1024,
    publish: (subject, bytes) => connection.publish(subject, bytes),
    subscribe(subject, receive) {
      connection.subscribe(subject, {
        callback(error, message) {
          if (error === null) receive(message.data);
        },
      });
    },
    onChange: (changed) => listeners.push(changed),
    async close() {
      if (connected) await Promise.race([connection.flush().catch(() => {}), wait(FLUSH_MS)]);
      await Promise.race([connection.close(), wait(FLUSH_MS)]);
    },
  };
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => Deno.unrefTimer(setTimeout(resolve, ms)));
}
