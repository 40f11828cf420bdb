import { InputError } from "../../base/errors.ts";
import { formatThousands, percentText, plural, sum } from "../../base/format.ts";
import type { Request } from "../../plan/kinds/request.ts";
import type { Step } from "../../plan/kinds/steps.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import type { Visit, Visits } from "../../traffic/accesslog/collect/visits.ts";
import type { EndpointCount } from "../../traffic/accesslog/profile/endpoint_table.ts";
import type { TimeSpan, TrafficProfile } from "../../traffic/accesslog/profile/traffic_profile.ts";
import type { Note } from "../notes/notes.ts";
import { endpointName, formatCell } from "./ids.ts";
import type { Starts } from "./rate/reproduce_rate.ts";
import { type Redaction, secretQueries } from "./redaction.ts";
import { type Login, readLogin } from "./responses.ts";

const LOGIN = "login";

const RESPONSE_MS = 1_000;
const SOURCE = "visits";

export interface RecordedVisits {
  readonly csv: string;
  readonly data: NonNullable<Plan["data"]>;
  readonly flow: Step[];
  readonly starts: Starts;
  readonly share: number;
  readonly notes: readonly Note[];
}

export interface VisitOptions {
  readonly path: string;
  readonly squeeze: number;
  readonly nameOf: (recorded: string) => string;
  readonly redaction?: Redaction;
  /** In bytes. More visits are sampled. */
  readonly maxBytes: number;
  readonly keysOf?: (endpoint: EndpointCount) => Partial<Request>;
  readonly login?: Plan;
}

/** Throws InputError if lines lack the address, or so few have another that no visit fits. */
export function recordVisits(
  seen: Visits,
  kept: readonly EndpointCount[],
  profile: TrafficProfile,
  span: TimeSpan,
  options: VisitOptions,
): RecordedVisits {
  const { path, squeeze, nameOf, redaction, maxBytes, keysOf } = options;
  const names = new Set(kept.map(endpointName));
  const nameOfUrl = cached((url) => nameOf(seen.endpoint(url)));
  const textOfUrl = cached((url) => redactedUrl(seen.url(url), redaction));
  const cellsOfUrl = cached((url) =>
    `${formatCell(nameOfUrl(url))},${formatCell(textOfUrl(url))}\n`
  );
  const visits = seen.list((url) => names.has(nameOfUrl(url)));
  if (visits.length === 0) throw noVisits(seen);
  const login = options.login && readLogin(options.login, seen, seen.list());
  const needsLogin = (visit: Visit) => login?.isNeeded(visit) ?? false;
  const first = span.first * 1_000;
  const rows = (visit: Visit) =>
    visitRows(visit, first, squeeze, cellsOfUrl, needsLogin(visit) ? login : undefined);
  const { sample, lines } = sampleVisits(visits, rows, maxBytes);
  const logins = sample.filter(needsLogin).length;
  const sent = sum(sample.map(({ requests }) => requests.length)) +
    logins * (login?.requests ?? 0);
  const meanRequests = sent / sample.length;
  const used = new Set(sample.flatMap(({ requests }) => requests.map(({ url }) => nameOfUrl(url))));
  return {
    csv: `start,pause,request,url\n${lines.join("")}`,
    data: { [SOURCE]: { type: "csv", path } },
    flow: [{
      visits: {
        data: SOURCE,
        mean_requests: Number(meanRequests.toPrecision(6)),
        requests: [
          ...logins > 0 ? [{ name: LOGIN, steps: login!.steps }] : [],
          ...kept.filter((endpoint) => used.has(endpointName(endpoint)))
            .map((endpoint) => visitedEndpoint(endpoint, keysOf?.(endpoint))),
        ],
      },
    }],
    starts: startsOf(visits, seen.oneIn, profile, span),
    share: sample.length / (visits.length * seen.oneIn),
    notes: [
      replayNote(sample.length, visits.length * seen.oneIn, meanRequests, path),
      ...redaction === undefined ? secretNotes(sample, kept, nameOfUrl, textOfUrl) : [],
      ...oneClient(seen),
      ...login === undefined ? [] : [loginNote(logins, sample.length)],
    ],
  };
}

/** `first` is in Unix milliseconds. A login replaces the visit's recorded one. */
function visitRows(
  { requests }: Visit,
  first: number,
  squeeze: number,
  cellsOfUrl: (url: number) => string,
  login: Login | undefined,
): string {
  const [{ time: from }] = requests;
  const start = seconds(from - first, squeeze);
  let text = login === undefined ? "" : `${start},0,${LOGIN},\n`;
  let last = from;
  for (const request of requests) {
    if (login?.replaces(request)) continue;
    const { time, url } = request;
    text += `${text === "" ? start : ""},${seconds(time - last, squeeze)},${cellsOfUrl(url)}`;
    last = time;
  }
  return text;
}

function visitedEndpoint(
  endpoint: EndpointCount,
  keys: Partial<Request> | undefined,
): { name: string; steps: Step[] } {
  const { method, route } = endpoint;
  const name = endpointName(endpoint);
  // The slash is in the plan, so that recorded text cannot change the host.
  const url = route === "*" ? route : `/\${data.${SOURCE}.url}`;
  return { name, steps: [{ request: { name, method, url, ...keys } }] };
}

const STRATUM = 64;

/** Selects as many as fit at equal intervals: as many of each time and length as in the log. */
function sampleVisits(
  visits: readonly Visit[],
  rows: (visit: Visit) => string,
  maxBytes: number,
): { sample: Visit[]; lines: string[] } {
  const texts = visits.map(rows);
  const order = [...visits.keys()].sort((a, b) => {
    const stratum = Math.floor(a / STRATUM);
    const lengths = visits[a].requests.length - visits[b].requests.length;
    // The direction alternates, so that there are no jumps between strata.
    return stratum - Math.floor(b / STRATUM) || (stratum % 2 === 0 ? lengths : -lengths) || a - b;
  });
  const sizeOf = (indices: readonly number[]) => sum(indices.map((i) => texts[i].length));
  const pick = (share: number) =>
    order.filter((_, k) => Math.floor((k + 1) * share) > Math.floor(k * share));
  let share = Math.min(1, maxBytes / sizeOf(order));
  let chosen = pick(share);
  while (chosen.length > 1 && sizeOf(chosen) > maxBytes) chosen = pick(share *= 0.99);
  if (chosen.length === 0) chosen = order.slice(0, 1);
  chosen.sort((a, b) => a - b);
  return { sample: chosen.map((i) => visits[i]), lines: chosen.map((i) => texts[i]) };
}

/** An estimate if the visits are a sample. */
function startsOf(
  visits: readonly Visit[],
  oneIn: number,
  profile: TrafficProfile,
  { first }: TimeSpan,
): Starts {
  const count = visits.length * oneIn;
  const times = visits.map(({ requests }) => requests[0].time);
  return {
    count,
    forEachSecond(visit) {
      if (oneIn === 1) {
        return forEachRun(times, (time) => Math.floor(time / 1_000), visit);
      }
      // Each second gets its share by its requests, because repeated starts would add bursts.
      let left = 0;
      profile.forEachSecond((second, requests) => {
        left += requests * count / profile.requests;
        if (left >= 1) visit(second, Math.floor(left));
        left -= Math.floor(left);
      });
    },
    ...(oneIn === 1 && times.some((time) => time % 1_000 !== 0) && {
      forEachTime: (visit) => forEachRun(times, (time) => time / 1_000, visit),
    }),
    mostAtOnce(squeeze) {
      const secondOf = ({ time }: Visit["requests"][number], lasts = 0) =>
        Math.floor(((time - first * 1_000) / squeeze + lasts) / 1_000);
      const starts = Float64Array.from(visits, ({ requests }) => secondOf(requests[0])).sort();
      const ends = Float64Array.from(
        visits,
        ({ requests }) => secondOf(requests[requests.length - 1], RESPONSE_MS),
      ).sort();
      let [ended, most] = [0, 0];
      for (const [i, second] of starts.entries()) {
        while (ends[ended] < second) ended++;
        most = Math.max(most, i + 1 - ended);
      }
      return most * oneIn;
    },
  };
}

function forEachRun(
  times: readonly number[],
  keyOf: (time: number) => number,
  visit: (key: number, count: number) => void,
): void {
  let from = 0;
  for (let i = 1; i <= times.length; i++) {
    if (i < times.length && keyOf(times[i]) === keyOf(times[from])) continue;
    visit(keyOf(times[from]), i - from);
    from = i;
  }
}

function secretNotes(
  sample: readonly Visit[],
  kept: readonly EndpointCount[],
  nameOfUrl: (url: number) => string,
  textOfUrl: (url: number) => string,
): Note[] {
  const urls = new Set(sample.flatMap(({ requests }) => requests.map(({ url }) => url)));
  const queries = Map.groupBy(
    [...urls].filter((url) => textOfUrl(url).includes("?")),
    nameOfUrl,
  );
  return kept.flatMap((endpoint) => {
    const found = queries.get(endpointName(endpoint)) ?? [];
    const texts = found.map((url) => textOfUrl(url).replace(/^[^?]*/, ""));
    return secretQueries(endpoint, texts, SOURCE) ?? [];
  });
}

function redactedUrl(url: string, redaction: Redaction | undefined): string {
  const [, path, query] = /^\/?([^?]*)(.*)$/s.exec(url)!;
  return redaction === undefined ? path + query : redaction.path(path) + redaction.query(query);
}

function seconds(ms: number, squeeze: number): string {
  return String(Math.round(ms * 1_000 / squeeze) / 1e6);
}

function cached(of: (url: number) => string): (url: number) => string {
  const known: string[] = [];
  return (url) => known[url] ??= of(url);
}

function replayNote(replayed: number, all: number, meanRequests: number, path: string): Note {
  const visits = replayed === all
    ? `the log's ${plural(all, "visit")}`
    : `${percentText(replayed, all)} of the log's ${plural(all, "visit")}, a sample, each ${
      formatThousands(all / replayed, 1)
    } times`;
  return {
    code: "journeys",
    subject: `data.${SOURCE}`,
    message: `the plan replays ${visits} (same client and user agent, at most 30 min idle), each ` +
      `as a new user, with ${formatThousands(meanRequests, 1)} requests on average, from ` +
      `\`${path}\`; make sure that the ids in its URLs exist on the target`,
  };
}

function oneClient({ onlyClient }: Visits): Note[] {
  if (onlyClient === undefined) return [];
  return [{
    code: "one-client",
    subject: "--journeys",
    message:
      `all requests in the log have the same client address, ${onlyClient}, so they form few visits; ` +
      "the address may belong to a proxy or to the server itself; log `X-Forwarded-For` and describe the " +
      "lines with `--log-format`",
  }];
}

function loginNote(logins: number, visits: number): Note {
  return {
    code: "visits-logged-in",
    subject: `data.${SOURCE}`,
    message:
      `${plural(logins, "visit")} of ${formatThousands(visits)} in the file start with the ` +
      "recorded login, because they got pages that otherwise refused or appear only after a login",
  };
}

function noVisits({ hasClients }: Visits): InputError {
  const [reason, missing] = hasClients
    ? [
      "nearly all requests have the same client address and user agent, and are too many for one " +
      "visit; the address may belong to a proxy",
      "`X-Forwarded-For`",
    ]
    : ["its lines do not contain the client address", "the address"];
  return new InputError(
    `cannot find the visits in the log: ${reason}; log ${missing} and describe the lines with ` +
      "`--log-format`, or omit `--journeys` and `--faithful`",
    { source: "access log" },
  );
}
