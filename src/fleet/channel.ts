import { UsageError } from "../base/errors.ts";
import { safeSnippet } from "../base/safe_text.ts";
import { decodePercent } from "../base/string_escapes.ts";
import type { Cancel, Clock } from "../engine/vu/clock.ts";
import * as z from "zod";
import { isMap } from "../base/exact_number.ts";
import { VERSION } from "../base/release.ts";
import { type RowChange, type RuleName, TABLE } from "../engine/metrics/counts.ts";
import type { Family } from "../engine/metrics/snapshot.ts";
import { RUN_FAILURES, SCENARIO_ENDS } from "../engine/summary/codes.ts";
import { ERROR_KINDS } from "../http/sender.ts";

/** Maximum size in bytes of a message that contains no lists or file contents. */
const SMALL_BYTES = 8 * 1024;
/** Maximum size in bytes of any message. By default, NATS servers accept messages of this size. */
export const LARGE_BYTES: number = 1024 * 1024;
/** Size in bytes of each chunk of a plan, except the last one, which can be smaller. */
export const CHUNK_BYTES = 256 * 1024;

const processId = z.string().regex(/^[\w-]{1,64}$/);
/** Text to display to users, such as a host name or a reason. */
const shortText = z.string().max(2_000);
/** Text that only the maximum size of the message limits. */
const text = z.string();
const count = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const durationMs = z.number().min(0);
/** Milliseconds on the leader's clock. */
const leaderTime = z.number();
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** Text in the sample of a failed request, which the shard shortens. */
const sampled = z.string().max(3_000);
const headers = z.array(sampled).max(50);

/** Values since the last delta. `min` and `max` are the extremes of all values so far. */
const histogram = z.strictObject({ buckets: text, sum: count, min: count, max: count });

/** Schema of the change of a field of a row of counts, by the rule that adds up the field. */
const CHANGES: Record<RuleName, z.ZodType> = {
  label: text,
  first: text,
  text,
  sum: count,
  positive: count,
  known: count,
  longest: durationMs,
  longestKnown: durationMs,
  now: count,
  highest: z.number(),
  lowest: z.number(),
  worst: z.enum(SCENARIO_ENDS),
  histogram,
  anyHistogram: histogram,
  statuses: z.record(z.string().regex(/^\d{1,3}$/), count),
  series: z.never(),
};

/** Fields for which the schema in `CHANGES` does not fit. */
const EXCEPTIONS: { readonly [F in Family]?: z.ZodRawShape } = {
  errors: { kind: z.enum(ERROR_KINDS) },
  failures: {
    status: count,
    kind: z.enum(ERROR_KINDS).optional(),
    /** Example of a failed request, with its response. Present in the last delta only. */
    sample: z.strictObject({
      request: z.strictObject({ method: text, url: sampled, headers, body: sampled.optional() }),
      response: z.strictObject({ status: count, headers, body: sampled.optional() }).optional(),
    }).optional(),
  },
  seconds: { at: count },
};

type ChangeLists = { [F in Family]: z.ZodOptional<z.ZodType<RowChange<F>[]>> };

/** Lists of the changed rows of counts, by family. */
const changes = Object.fromEntries(
  Object.entries(TABLE).map(([family, fields]) => {
    const shape = Object.entries(fields).map(([field, rule]: [string, RuleName]) => {
      // A correction can decrease the counts of a second.
      const schema = family === "seconds" && rule === "sum" ? z.number() : CHANGES[rule];
      return [field, rule === "label" ? schema : schema.optional()];
    });
    const row = { ...Object.fromEntries(shape), ...EXCEPTIONS[family as Family] };
    return [family, z.array(z.strictObject(row)).optional()];
  }),
) as unknown as ChangeLists;

/** Schema and maximum size in bytes of each kind of message. */
export const MESSAGES = {
  /** Sent by a process that wants to lead the run. Its leader responds with a pulse. */
  claim: small({ from: processId, name: shortText }),

  /** Sent by the leader once per second and after each change. Contains its whole state. */
  pulse: small({
    leader: processId,
    name: shortText,
    phase: z.enum(["waiting", "running", "ended"]),
    /** Time at which all shards start; null until it is known. */
    starts_at: leaderTime.nullable(),
    /** `stop` ends the run gracefully, and `kill` also cancels running iterations. */
    stop: z.enum(["no", "stop", "kill"]),
    reason: shortText,
  }),

  /** Sent once per second by a process that wants to join a run, until a leader responds. */
  hello: small({
    from: processId,
    name: shortText,
    index: count.nullable(),
  }),

  /** Sent by the leader to a process that may join: its shard, and the size of the plan. */
  welcome: small({
    leader: processId,
    index: count,
    of: count.min(1),
    plan_hash: sha256,
    seed: count,
    size: count,
    /** Maximum time in ms without a message from the leader. After that, the shard stops. */
    orphan_ms: durationMs,
  }),

  refusal: small({ leader: processId, reason: shortText }),

  chunk_request: small({ from: processId, chunk: count }),

  /** Sent by the leader on request. Contains one chunk of the plan, in Base64. */
  chunk: large({
    leader: processId,
    chunk: count,
    data: z.string().max(Math.ceil(CHUNK_BYTES / 3) * 4),
  }),

  /** Sent by a process to measure the offset of its clock, on which `sent` is the time in ms. */
  ping: small({ from: processId, sent: z.number() }),

  /** Sent by the leader in response to a ping. `sent` is copied from the ping. */
  pong: small({ leader: processId, sent: z.number(), now: leaderTime }),

  /** Sent once per second by a process while it loads the plan and while it runs its shard. */
  beat: small({ from: processId }),

  /** Sent once per second by a process whose shard is ready, until the shard starts. */
  ready: small({ from: processId, planned_ms: durationMs, ends_ms: durationMs }),

  failed: small({ from: processId, reason: shortText }),

  /**
   * Sent once per second by a process that runs a shard, and again until it is acknowledged. Has
   * what the shard counted since the last delta. The sum of all deltas is the result of the shard.
   */
  delta: large({
    from: processId,
    seq: count.min(1),
    /** Last second of the run that this delta and the earlier ones cover completely. */
    second: count,
    elapsed_ms: durationMs,
    ...changes,
  }),

  /** Sent by the leader in response to a `delta` or `done` message. */
  ack: small({
    leader: processId,
    /** Sequence number up to which the leader has added all deltas to its counts. */
    seq: count,
    done: z.boolean(),
  }),

  /** Sent once per second by a process whose shard has ended, until the leader confirms all. */
  done: small({
    from: processId,
    seq: count,
    started_at: leaderTime,
    duration_ms: durationMs,
    ending: z.enum(["finished", "interrupted", "assertion"]),
    /** Reason why the shard failed as a whole; null if it did not. */
    failure: z.enum(RUN_FAILURES).nullable(),
  }),
};

type MessageName = keyof typeof MESSAGES;

export type MessageOf<Name extends MessageName> = z.infer<typeof MESSAGES[Name]["schema"]>;

export type Message = { [Name in MessageName]: { kind: Name } & MessageOf<Name> }[MessageName];

export type Handlers = {
  [Name in MessageName]?: (message: MessageOf<Name>) => void;
};

function small<Shape extends z.ZodRawShape>(shape: Shape) {
  return { schema: z.strictObject(shape), maxBytes: SMALL_BYTES };
}

function large<Shape extends z.ZodRawShape>(shape: Shape) {
  return { schema: z.strictObject(shape), maxBytes: LARGE_BYTES };
}

/** Reason why a message is invalid, and the version of its sender if it is another one. */
export interface MessageFault {
  readonly fault: string;
  readonly version?: string;
}

/** Encodes a message, and the version of rehearse, as JSON. */
export function encodeMessage(message: Message): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify({ rehearse: VERSION, ...message }));
}

/** Decodes a message, which may come from anyone. If it is invalid, returns the reason. */
export function decodeMessage(bytes: Uint8Array): Message | MessageFault {
  const value = parseObject(bytes);
  if (value === undefined) return { fault: "a message is not a JSON object" };
  const { rehearse: version, kind, ...content } = value;
  if (version !== VERSION) {
    const known = typeof version === "string" ? { version: version.slice(0, 50) } : {};
    return { fault: "a message comes from another version of rehearse", ...known };
  }
  if (typeof kind !== "string" || !Object.hasOwn(MESSAGES, kind)) {
    return { fault: "a message has an unknown kind" };
  }
  const { schema, maxBytes } = MESSAGES[kind as MessageName];
  if (bytes.length > maxBytes) return { fault: `a message of kind ${kind} is too large` };
  const { data } = schema.safeParse(content);
  if (data === undefined) return { fault: `a message of kind ${kind} is invalid` };
  return { kind, ...data } as Message;
}

function parseObject(bytes: Uint8Array): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return isMap(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Formats an error or warning about a process, described by `who`, of another version. */
export function describeOtherVersion(who: string, version: string): string {
  return `${who} uses version ${version} of rehearse, and this process uses version ${VERSION}; ` +
    "use the same version everywhere";
}

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
 * connection. Without credentials in the address (`USER:PASSWORD@` or `TOKEN@`), uses `NATS_CREDS`
 * or `NATS_NKEY` (files), `NATS_USER` with `NATS_PASSWORD`, or `NATS_TOKEN`. Throws UsageError.
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
