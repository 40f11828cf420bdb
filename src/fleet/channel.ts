import { UsageError } from "../base/errors.ts";
import { safeSnippet } from "../base/safe_text.ts";
import { decodePercent } from "../base/string_escapes.ts";
import type { Cancel, Clock } from "../engine/vu/clock.ts";
import { decodeMessage, encodeMessage, type Message } from "./messages.ts";

/**
 * Connection to a message bus. Delivers each message at most once, and keeps the messages of each
 * sender in order. Drops messages that are published while the bus is unreachable.
 */
export interface Bus {
  readonly connected: boolean;
  readonly maxBytes: number;
  publish(subject: string, bytes: Uint8Array): void;
  subscribe(subject: string, receive: (bytes: Uint8Array) => void): void;
  onChange(changed: () => void): void;
  /** Closes the connection. If the bus can be reached, sends all published messages first. */
  close(): Promise<void>;
}

export type Place = "leader" | "all" | { readonly id: string };

/** Sends and receives the messages of one run over a bus. */
export class Channel {
  readonly bus: Bus;
  readonly #run: string;
  /** Number of invalid messages received. */
  invalid = 0;
  firstFault = "";
  /** Called for each message of another version of rehearse. */
  onOtherVersion: (version: string) => void = () => {};

  constructor(bus: Bus, run: string) {
    this.bus = bus;
    this.#run = run;
  }

  send(to: Place, message: Message): void {
    this.sendBytes(to, encodeMessage(message));
  }

  /** Sends a message, or drops it if it is too large or the bus is unreachable. */
  sendBytes(to: Place, bytes: Uint8Array): void {
    const { connected, maxBytes } = this.bus;
    if (connected && bytes.length <= maxBytes) this.bus.publish(this.#subject(to), bytes);
  }

  /** Calls `receive` with each valid message to `place`. Counts and drops invalid messages. */
  listen(place: Place, receive: (message: Message) => void): void {
    this.bus.subscribe(this.#subject(place), (bytes) => {
      const message = decodeMessage(bytes);
      if (!("fault" in message)) return receive(message);
      if (message.version !== undefined) this.onOtherVersion(message.version);
      this.reject(message.fault);
    });
  }

  reject(fault: string): void {
    if (this.invalid++ === 0) this.firstFault = fault;
  }

  #subject(place: Place): string {
    const end = typeof place === "string" ? place : `to.${place.id}`;
    return `rehearse.${this.#run}.${end}`;
  }
}

/** Interval between heartbeats, in ms. */
const BEAT_MS = 1_000;

/** After five missed heartbeats, a process counts as lost. */
export const LOST_MS = 5.5 * BEAT_MS;

/** Calls `act` immediately, and then once per second. Returns a function that stops the calls. */
export function everySecond(clock: Clock, act: () => void): Cancel {
  let cancel: Cancel = () => {};
  const next = (time: number) => {
    cancel = clock.at(time, () => {
      next(Math.max(time + BEAT_MS, clock.now()));
      act();
    });
  };
  next(clock.now() + BEAT_MS);
  act();
  return () => cancel();
}

/** Environment variables with the paths of files for a connection, as for the command `nats`. */
export const BUS_FILES = {
  creds: "NATS_CREDS",
  nkey: "NATS_NKEY",
  ca: "NATS_CA",
  cert: "NATS_CERT",
  key: "NATS_KEY",
} as const;

/** A value for each file of a connection that is configured. */
export type BusFiles<T> = Readonly<Partial<Record<keyof typeof BUS_FILES, T>>>;

/** Address of a bus, and the name of a run on it. */
export interface FleetAddress {
  readonly server: string;
  readonly tls: boolean;
  readonly user?: string;
  readonly password?: string;
  readonly token?: string;
  readonly files: BusFiles<string>;
  /** Name of the run: letters, digits, `_` and `-`. */
  readonly run: string;
}

/**
 * Parses the value of `--fleet`: `nats://HOST[:PORT]/RUN`, or `tls://…` for an encrypted
 * connection. The address can contain credentials: `USER:PASSWORD@` or `TOKEN@` before the host.
 * Otherwise, they come from environment variables, if these are set: `NATS_CREDS` or `NATS_NKEY`
 * (files), `NATS_USER` with `NATS_PASSWORD`, or `NATS_TOKEN`. The connection is also encrypted if
 * `NATS_CA`, or `NATS_CERT` with `NATS_KEY`, is set. Throws UsageError if the address is invalid or
 * a variable is missing.
 */
export function parseFleetAddress(
  text: string,
  readEnv: (name: string) => string | undefined,
): FleetAddress {
  const url = URL.parse(text);
  const run = url?.pathname.slice(1) ?? "";
  const isValid = url !== null && /^(nats|tls):$/.test(url.protocol) && url.hostname !== "" &&
    /^[\w-]{1,64}$/.test(run) && url.search === "" && url.hash === "";
  if (!isValid) {
    const shown = safeSnippet(text.replace(/\/\/[^/]*@/, "//"));
    throw new UsageError(
      `--fleet cannot be ${shown}: expected nats://HOST:PORT/RUN, where RUN, the name of the ` +
        "run, consists of letters, digits, `_` and `-`",
    );
  }
  const [name, secret] = [url.username, url.password].map((text) => decodePercent(text) ?? text);
  const files = busFiles(readEnv, name !== "");
  const hasLogin = files.creds !== undefined || files.nkey !== undefined;
  const given = secret !== ""
    ? { user: name, password: secret }
    : name !== ""
    ? { token: name }
    : hasLogin
    ? {}
    : credentials(readEnv);
  return {
    server: `${url.hostname}:${url.port || 4222}`,
    tls: url.protocol === "tls:" || files.ca !== undefined || files.cert !== undefined,
    run,
    files,
    ...given,
  };
}

type ReadEnv = (name: string) => string | undefined;

function busFiles(readEnv: ReadEnv, hasLogin: boolean): BusFiles<string> {
  const { creds, nkey, ...tls } = Object.fromEntries(
    Object.entries(BUS_FILES).flatMap(([file, name]) => {
      const path = readEnv(name);
      return path ? [[file, path]] : [];
    }),
  ) as BusFiles<string>;
  if ((tls.cert === undefined) !== (tls.key === undefined)) {
    throw new UsageError("set both NATS_CERT and NATS_KEY, or neither");
  }
  if (hasLogin) return tls;
  return creds !== undefined ? { creds, ...tls } : nkey !== undefined ? { nkey, ...tls } : tls;
}

function credentials(readEnv: ReadEnv): Pick<FleetAddress, "user" | "password" | "token"> {
  const [user, password, token] = ["NATS_USER", "NATS_PASSWORD", "NATS_TOKEN"].map(readEnv);
  if (user !== undefined) return { user, password };
  return token === undefined ? {} : { token };
}
