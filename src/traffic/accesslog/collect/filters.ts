import { DOLLAR, SPACE } from "../../../base/ascii.ts";
import { ByteIndex } from "../../../base/byte_index.ts";
import { isStaticAsset } from "../../static_asset.ts";
import type { TimeWindow } from "../profile/traffic_profile.ts";
import { FIELD_INDEX } from "../read/log_format.ts";
import type { LogRequest } from "../read/log_request.ts";
import type { FilterScope, RequestFilter, RequestPart } from "./collector.ts";
import { parseHost, rawHost } from "./request_url.ts";
import { isBot } from "./traffic_sample.ts";

/** An absent or empty option selects all requests. */
export interface FilterOptions {
  /** Unix milliseconds, inclusive. */
  readonly since?: number;
  /** Unix milliseconds, exclusive. */
  readonly until?: number;
  /** Time window to keep, as determined for `--busiest`. */
  readonly busiest?: TimeWindow;
  readonly include?: readonly RegExp[];
  readonly exclude?: readonly RegExp[];
  readonly methods?: readonly string[];
  readonly excludedClients?: readonly string[];
  /** Hosts to keep. They are in lower case, and have no port if it is 80 or 443. */
  readonly hosts?: readonly string[];
  /** Statuses (`404`) or classes (`2xx`). */
  readonly statuses?: readonly string[];
  readonly noStatic?: boolean;
  readonly noBots?: boolean;
}

type Predicate = (request: LogRequest) => boolean;

type PathFilter = Pick<CountedFilter, "keeps" | "isSameForEndpoint">;

/** A request filter that is set by a command-line option. */
export interface CountedFilter extends RequestFilter {
  readonly option: string;
  readonly value: string;
  /** The requests kept, if `option` and `value` do not state them. */
  readonly kept?: string;
}

/** The cheapest filter comes first. */
export function buildFilters(options: FilterOptions): CountedFilter[] {
  const { since, until, methods = [], statuses = [], include = [], exclude = [] } = options;
  const { excludedClients = [], hosts = [] } = options;
  const filters: CountedFilter[] = [];
  const add = (
    option: string,
    value: string | undefined,
    scope: FilterScope,
    keeps: Predicate,
    parts: readonly RequestPart[] = [],
    kept = "",
  ) => {
    if (value === undefined) return;
    filters.push({ option, value, scope, parts, keeps, dropped: 0, ...(kept && { kept }) });
  };
  if (options.busiest !== undefined) {
    const { from, to } = options.busiest;
    const [start, end] = [from, to].map((second) => new Date(second * 1_000).toISOString());
    const isWithin: Predicate = ({ second }) => second >= from && second < to;
    const kept = `the requests from ${start.slice(0, 19)}Z to ${end.slice(0, 19)}Z`;
    add("--busiest", `${from},${to}`, "second", isWithin, [], kept);
  }
  const isSince: Predicate = ({ timeMs }) => timeMs >= since!;
  add("--since", since?.toString(), "second", isSince, partsOfTime(since));
  const isUntil: Predicate = ({ timeMs }) => timeMs < until!;
  add("--until", until?.toString(), "second", isUntil, partsOfTime(until));
  add("--status", listed(statuses), "status", statusIn(statuses));
  add("--method", listed(methods), "endpoint", methodIn(methods));
  const isOther = excludeClients(excludedClients);
  add("--exclude-client", listed(excludedClients), "request", isOther, ["client"]);
  add("--host", listed(hosts), "host", hostIn(hosts), ["host"]);
  add("--no-bots", options.noBots ? "" : undefined, "agent", excludeBots(), ["agent"]);
  // The endpoint determines the result, because ids in a path have no file extension.
  add("--no-static", options.noStatic ? "" : undefined, "endpoint", excludeStatic());
  const addPaths = (option: string, patterns: readonly RegExp[], keepsMatch: boolean) => {
    const [value, paths] = [listed(patterns), filterPaths(patterns, keepsMatch)];
    if (value !== undefined) {
      filters.push({ option, value, scope: "path", parts: [], dropped: 0, ...paths });
    }
  };
  addPaths("--include", include, true);
  addPaths("--exclude", exclude, false);
  return filters;
}

function partsOfTime(ms = 0): readonly RequestPart[] {
  return ms % 1_000 === 0 ? [] : ["milliseconds"];
}

function listed(values: readonly unknown[]): string | undefined {
  return values.length === 0 ? undefined : values.join(",");
}

function requestPath(request: LogRequest): Uint8Array {
  const { bytes, from, pathEnd } = request.target;
  return bytes.subarray(from, pathEnd);
}

function filterPaths(patterns: readonly RegExp[], keepsMatch: boolean): PathFilter {
  const tested = new PathPatterns(patterns);
  const matches = cachePredicate((path) => tested.match(path));
  return {
    keeps: (request) => {
      const path = requestPath(request);
      // `LineCounter` stores results by endpoint and lists only paths in ASCII.
      const isMatch = request.endpoint < 0 ? matches(path) : tested.match(asciiText(path));
      return isMatch === keepsMatch;
    },
    isSameForEndpoint: (request) => tested.isSameForEndpoint(request),
  };
}

function statusIn(statuses: readonly string[]): Predicate {
  const kept = Uint8Array.from(
    { length: 1_000 },
    (_, status) => {
      const text = String(status);
      return statuses.includes(text) || (text.length === 3 && statuses.includes(`${text[0]}xx`))
        ? 1
        : 0;
    },
  );
  return ({ status }) => kept[status] === 1;
}

function methodIn(methods: readonly string[]): Predicate {
  const kept = cachePredicate((method) => methods.includes(method));
  return (request) => kept(request.method());
}

function excludeClients(clients: readonly string[]): Predicate {
  const isExcluded = cachePredicate((client) => clients.includes(client));
  return (request) => !request.has("client") || !isExcluded(request.raw("client"));
}

const encoder = new TextEncoder();

function hostIn(hosts: readonly string[]): Predicate {
  const isKept = cachePredicate((host) => hosts.includes(parseHost(encoder.encode(host)) ?? ""));
  return (request) => {
    const host = rawHost(request);
    return host !== undefined && isKept(host);
  };
}

function excludeStatic(): Predicate {
  const isFetched = methodIn(["GET", "HEAD"]);
  const isStatic = cachePredicate((path) => isStaticAsset("", path));
  return (request) => !isFetched(request) || !isStatic(requestPath(request));
}

function excludeBots(): Predicate {
  const isFromBot = cachePredicate(isBot);
  return (request) => request.spans.from[FIELD_INDEX.agent] < 0 || !isFromBot(request.raw("agent"));
}

/** When the cache is full, new strings are tested each time they occur. */
const MAX_TEXTS = 100_000;

/** Texts such as user agents often repeat. The result takes UTF-8 bytes. */
function cachePredicate(test: (text: string) => boolean): (bytes: Uint8Array) => boolean {
  const texts = new ByteIndex();
  const results: boolean[] = [];
  const decoder = new TextDecoder();
  return (bytes) => {
    const known = texts.find(bytes);
    if (known >= 0) return results[known];
    const result = test(decoder.decode(bytes));
    if (texts.size < MAX_TEXTS) results[texts.number(bytes)] = result;
    return result;
  };
}

/** A regular expression that consists only of literal ASCII text, optionally after `^`. */
const PLAIN_TEXT = /^(\^?)((?:[\w !"#%&',\-/:;<=>@`~]|\\[\^$\\.*+?()[\]{}|/])*)$/;

interface TextPattern {
  /** True if the path must start with the text. */
  readonly isStart: boolean;
  readonly text: string;
}

export class PathPatterns {
  readonly #patterns: readonly RegExp[];
  /** Undefined if a pattern contains an operator other than a leading `^`. */
  readonly #texts: readonly TextPattern[] | undefined;

  /** `patterns` must have no flags other than `u` and `v`. */
  constructor(patterns: readonly RegExp[]) {
    this.#patterns = patterns;
    const texts = patterns.map(parseText);
    if (texts.every((text) => text !== undefined)) this.#texts = texts;
  }

  match(path: string): boolean {
    return this.#patterns.some((pattern) => pattern.test(path));
  }

  /** Whether the text before the first id determines the result for all paths of the endpoint. */
  isSameForEndpoint({ key: { bytes, from, to } }: LogRequest): boolean {
    if (this.#texts === undefined) return false;
    const path = bytes.indexOf(SPACE, from) + 1;
    const id = bytes.subarray(path, to).indexOf(DOLLAR);
    const before = asciiText(bytes.subarray(path, id < 0 ? to : path + id));
    const matches = ({ isStart, text }: TextPattern) =>
      isStart ? before.startsWith(text) : before.includes(text);
    // A path can still start with `text` if the id contains the rest of `text`.
    const canMatch = ({ isStart, text }: TextPattern) => !isStart || text.startsWith(before);
    return this.#texts.some(matches) || !this.#texts.some(canMatch);
  }
}

function parseText({ source, flags }: RegExp): TextPattern | undefined {
  const found = PLAIN_TEXT.exec(source);
  if (found === null || !/^[uv]?$/.test(flags)) return undefined;
  return { isStart: found[1] !== "", text: found[2].replace(/\\(.)/g, "$1") };
}

/** Converts ASCII bytes to a string. For short text, faster than `TextDecoder`. */
function asciiText(bytes: Uint8Array): string {
  return String.fromCharCode.apply(null, bytes as unknown as number[]);
}
