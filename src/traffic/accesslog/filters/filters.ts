import { isStaticAsset } from "../../har/static_asset.ts";
import type { LogRequest } from "../lines/log_request.ts";
import type { RequestFilter } from "../lines/request_use.ts";
import { FIELD_INDEX } from "../lines/log_fields.ts";
import { textVerdicts } from "./text_verdicts.ts";

/** Which requests of a log count; absent or empty: all. */
export interface FilterOptions {
  /** Those from this moment on, in milliseconds from 1970. */
  readonly since?: number;
  /** Those before this moment. */
  readonly until?: number;
  /** Those whose path one of these finds something in. */
  readonly include?: readonly RegExp[];
  /** Not those whose path one of these finds something in. */
  readonly exclude?: readonly RegExp[];
  readonly methods?: readonly string[];
  /** Statuses, or their classes: `404`, `2xx`. */
  readonly statuses?: readonly string[];
  /** Leave out images, scripts, style sheets and other static files, by the path's extension. */
  readonly noStatic?: boolean;
  /**
   * Leave out requests whose user agent it accepts: `isBot`, loaded only when it is asked for, as its
   * list takes 12 ms.
   */
  readonly isBot?: (agent: string) => boolean;
}

/** A filter that counts. */
export interface CountedFilter extends RequestFilter {
  /** The option that asked for it, such as `--since`. */
  readonly option: string;
  /** Requests that reached it and went no further. */
  readonly dropped: number;
}

/** The filters that were asked for, the cheapest first. */
export function buildFilters(options: FilterOptions): CountedFilter[] {
  const { since, until, methods = [], statuses = [], include = [], exclude = [] } = options;
  const filters: CountedFilter[] = [];
  const add = (option: string, isAsked: boolean, keeps: (request: LogRequest) => boolean) => {
    if (isAsked) filters.push(counted(option, keeps));
  };
  add("--since", since !== undefined, ({ timeMs }) => timeMs >= since!);
  add("--until", until !== undefined, ({ timeMs }) => timeMs < until!);
  add("--status", statuses.length > 0, statusIn(statuses));
  add("--method", methods.length > 0, methodIn(methods));
  add("--no-bots", options.isBot !== undefined, notFrom(options.isBot ?? (() => false)));
  add("--no-static", options.noStatic === true, notStatic());
  const included = textVerdicts((path) => include.some((pattern) => pattern.test(path)));
  add("--include", include.length > 0, (request) => included(requestPath(request)));
  const excluded = textVerdicts((path) => exclude.some((pattern) => pattern.test(path)));
  add("--exclude", exclude.length > 0, (request) => !excluded(requestPath(request)));
  return filters;
}

function counted(option: string, keeps: (request: LogRequest) => boolean): CountedFilter {
  let dropped = 0;
  return {
    option,
    get dropped() {
      return dropped;
    },
    keeps(request) {
      const kept = keeps(request);
      if (!kept) dropped++;
      return kept;
    },
  };
}

function requestPath(request: LogRequest): Uint8Array {
  const { bytes, from, pathEnd } = request.target();
  return bytes.subarray(from, pathEnd);
}

function statusIn(statuses: readonly string[]): (request: LogRequest) => boolean {
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

function methodIn(methods: readonly string[]): (request: LogRequest) => boolean {
  const kept = textVerdicts((method) => methods.includes(method));
  return (request) => kept(request.method());
}

function notStatic(): (request: LogRequest) => boolean {
  const isFetched = methodIn(["GET", "HEAD"]);
  const isStatic = textVerdicts((path) => isStaticAsset("", path));
  return (request) => !isFetched(request) || !isStatic(requestPath(request));
}

/** Lines of a format without user agents pass. */
function notFrom(isBot: (agent: string) => boolean): (request: LogRequest) => boolean {
  const isFromBot = textVerdicts(isBot);
  return (request) => request.spans.from[FIELD_INDEX.agent] < 0 || !isFromBot(request.raw("agent"));
}
