import {
  type Authenticator,
  connect,
  credsAuthenticator,
  nkeyAuthenticator,
} from "@nats-io/transport-node";
import { UsageError } from "../base/errors.ts";
import { type Bus, BUS_FILES, type BusFiles, type FleetAddress } from "./channel.ts";

const CONNECT_MS = 5_000;
const RECONNECT_MS = 500;
/** Maximum time in ms to wait for the server to receive the last messages. */
const FLUSH_MS = 2_000;
/** Interval between pings, in ms. After two without a response, the connection counts as lost. */
const PING_MS = 3_000;

/**
 * Connects to a NATS server, and again whenever the connection is lost. `files` are the contents of
 * `FleetAddress.files`. Rejects with UsageError if a file with credentials is malformed.
 */
export async function connectNats(
  { server, tls, user, password, token }: FleetAddress,
  files: BusFiles<string> = {},
): Promise<Bus> {
  const { ca, cert, key } = files;
  const strayError = catchStrayErrors();
  const connection = await connect({
    servers: server,
    ...(user !== undefined && { user, pass: password }),
    ...(token !== undefined && { token }),
    ...authenticator(files),
    ...(tls && { tls: { ca, cert, key } }),
    timeout: CONNECT_MS,
    reconnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MS,
    pingInterval: PING_MS,
    maxPingOut: 2,
  }).catch((error) => {
    throw error.name === "TimeoutError" && strayError() || error;
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

let latest: Error | undefined;
let isCatching = false;

/**
 * Keeps socket errors from ending the process, for which the NATS client has no listener after a
 * TLS handshake or a failed login. The result returns the latest one; the client reports a timeout.
 */
function catchStrayErrors(): () => Error | undefined {
  latest = undefined;
  if (!isCatching) {
    globalThis.addEventListener("error", (event) => {
      const { error } = event;
      const isSocketError = error instanceof Error &&
        ("syscall" in error || /^received fatal alert/.test(error.message));
      if (!isSocketError) return;
      event.preventDefault();
      latest = error;
    });
  }
  isCatching = true;
  return () => latest;
}

function authenticator({ creds, nkey }: BusFiles<string>): { authenticator?: Authenticator } {
  const encode = (text: string) => new TextEncoder().encode(text);
  if (creds !== undefined) {
    return { authenticator: checked("creds", credsAuthenticator(encode(creds))) };
  }
  if (nkey === undefined) return {};
  return { authenticator: checked("nkey", nkeyAuthenticator(encode(seed(nkey)))) };
}

const FORMS = {
  creds: "a credentials file with a user's JWT and seed, as written by `nsc`",
  nkey: "a file with the seed of an NKey, which starts with `SU`",
};

/** Returns `authenticate` if it can sign a challenge. Otherwise, throws UsageError. */
function checked(file: keyof typeof FORMS, authenticate: Authenticator): Authenticator {
  try {
    authenticate("challenge");
  } catch {
    throw new UsageError(`${BUS_FILES[file]}: the file is malformed; expected ${FORMS[file]}`);
  }
  return authenticate;
}

/** Returns the seed from the text of a seed file. Skips empty lines and comments. */
function seed(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.find((line) => line !== "" && !line.startsWith("#")) ?? "";
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => Deno.unrefTimer(setTimeout(resolve, ms)));
}
