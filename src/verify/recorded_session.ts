import { findMainOrigin } from "../traffic/har/origins.ts";
import type { Exchange, Recording } from "../traffic/har/recording.ts";
import { hasMessages, withSocketCalls } from "../traffic/har/socket_messages.ts";
import { changesData } from "../traffic/session/changes_data.ts";
import { keptCalls, sortRedirects } from "../traffic/session/kept_calls.ts";
import {
  callNumberer,
  isMessage,
  type RecordedCall,
  requestName,
  splitCalls,
} from "../traffic/session/recorded_call.ts";
import { LinkedIds } from "./short_ids.ts";
import { TypedTexts } from "./typed_texts.ts";
import { indexValues, isPushed, Origins, RecordedTimes } from "./value_origins.ts";

/** A recorded session with the values that the mock server regenerates. */
export interface RecordedSession {
  readonly calls: readonly RecordedCall[];
  /** The calls, keyed by the number of their entry in the HAR, from 1. */
  readonly byEntry: ReadonlyMap<number, RecordedCall>;
  /** Messages of each WebSocket that the plan opens, by the number of its HAR entry. */
  readonly sockets: ReadonlyMap<number, readonly RecordedCall[]>;
  readonly origin: string;
  readonly origins: Origins;
  readonly ids: LinkedIds;
  readonly texts: TypedTexts;
  readonly exchanges: readonly Exchange[];
  readonly assets: ReadonlySet<Exchange>;
  readonly externalRedirects: ReadonlySet<RecordedCall>;
  /**
   * Reports whether values of a response are of this session: the request changed data, the server
   * chose when to send it, or an earlier equal request did not get them.
   */
  isNew(exchange: Exchange): boolean;
  /** Returns the name of a call in reports, such as `request 4 (POST /orders)`. */
  nameOf(call: RecordedCall): string;
  nameOfExchange(exchange: Exchange): string;
}

export interface PlanContents {
  readonly values: Iterable<string>;
  /** Numbers of the HAR entries that the plan sends, even if they are static assets. */
  readonly entries: ReadonlySet<number>;
  /** Number of the request that replays each HAR entry (see `requestNumbers`). */
  readonly numbers: ReadonlyMap<number, number>;
}

/** Returns undefined if the recording has no calls that a plan sends. */
export function readSession(
  { exchanges: recorded }: Recording,
  { values, entries, numbers }: PlanContents = {
    values: [],
    entries: new Set(),
    numbers: new Map(),
  },
): RecordedSession | undefined {
  const { exchanges: selected, dropped } = keptCalls(recorded, undefined);
  const kept = new Set(selected);
  const assets = dropped.get("static assets") ?? [];
  for (const asset of assets) if (entries.has(asset.index + 1)) kept.add(asset);
  const exchanges = withOpenedSockets(recorded, dropped.get("WebSocket") ?? [], entries);
  const sent = exchanges.filter((exchange) =>
    kept.has(exchange) || exchange.socketPart !== undefined
  );
  const origin = findMainOrigin(sent)?.origin;
  if (origin === undefined) return undefined;
  const parts = splitCalls(sent);
  const calls = parts.filter(({ exchange }) => exchange.socketPart !== "receive");
  const sockets = Map.groupBy(parts.filter(isMessage), ({ exchange }) => exchange.index + 1);
  const { followed } = sortRedirects(calls, () => false);
  const times = new RecordedTimes(exchanges);
  const numbered = callNumberer(parts, numbers);
  const nameOf = (call: RecordedCall) =>
    numbered(call, requestName(call, (field) => field.recorded));
  const byExchange = new Map(calls.map((call) => [call.exchange, call]));
  const hasEarlier = repeatedReads(exchanges);
  const origins = new Origins(times);
  indexValues(origins, exchanges, calls, values);
  const texts = new TypedTexts(exchanges, calls, times);
  const unsent = new Set(assets.filter((asset) => !kept.has(asset)));
  return {
    calls,
    byEntry: new Map(
      calls.filter((call) => !isMessage(call)).map((call) => [call.exchange.index + 1, call]),
    ),
    sockets,
    origin,
    origins,
    ids: new LinkedIds(
      exchanges.filter((exchange) => !unsent.has(exchange)),
      parts,
      times,
      origins,
    ),
    texts,
    exchanges,
    assets: new Set(assets),
    externalRedirects: followed,
    isNew: (exchange) => changesData(exchange) || isPushed(exchange) || hasEarlier.has(exchange),
    nameOf,
    nameOfExchange: (exchange) => {
      const call = byExchange.get(exchange);
      return call ? nameOf(call) : `${exchange.request.method} ${exchange.request.url}`;
    },
  };
}

function withOpenedSockets(
  exchanges: readonly Exchange[],
  sockets: readonly Exchange[],
  entries: ReadonlySet<number>,
): readonly Exchange[] {
  const opened = new Set(
    sockets.filter((exchange) => entries.has(exchange.index + 1) && hasMessages(exchange)),
  );
  if (opened.size === 0) return exchanges;
  return withSocketCalls(exchanges.filter((exchange) => !opened.has(exchange)), [...opened]);
}

function repeatedReads(exchanges: readonly Exchange[]): Set<Exchange> {
  const seen = new Set<string>();
  return new Set(exchanges.filter(({ request: { method, url, body }, response: { text } }) => {
    const key = `${method} ${url} ${JSON.stringify(body)}`;
    const isRepeated = seen.has(key);
    if (text !== undefined) seen.add(key);
    return isRepeated;
  }));
}
