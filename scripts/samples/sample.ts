/** A request in a sample log. */
export interface Sample {
  /** Time of the request in Unix milliseconds. */
  readonly time: number;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly status: number;
  /** Address of the client. */
  readonly client: string;
  /** Size of the response in bytes. */
  readonly bytes: number;
  /** Duration in milliseconds. */
  readonly ms: number;
  readonly agent: string;
  readonly referer: string;
}

const START = Date.UTC(2026, 10, 21, 10);
const STATUSES = [200, 200, 200, 304, 404, 302, 500];
const CLIENTS = ["203.0.113.7", "203.0.113.99", "198.51.100.23", "192.0.2.200"];
const TARGETS = ["/", "/cart?id=7", "/products", "/search?q=tea", "/api/items", "/login"];

/** The requests in every sample log: one every 700 ms, with times rounded down to whole seconds. */
export const SAMPLE_REQUESTS: readonly Sample[] = Array.from({ length: 40 }, (_, i) => ({
  time: START + i * 700 - (i * 700) % 1_000,
  method: i % 5 === 3 ? "POST" : "GET",
  target: TARGETS[i * 5 % TARGETS.length],
  status: STATUSES[i * 3 % STATUSES.length],
  client: CLIENTS[i * 7 % CLIENTS.length],
  bytes: 100 + i * 37,
  ms: 2 + i % 9,
  agent: "Mozilla/5.0 (X11; Linux x86_64) Firefox/130.0",
  referer: "-",
}));

const MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
const two = (value: number) => String(value).padStart(2, "0");

function date(request: Sample): Date {
  return new Date(request.time);
}

/** Functions that format the time of a request, in UTC. */
export const stamp = {
  iso: (r: Sample): string => `${date(r).toISOString().slice(0, 19)}Z`,
  isoMs: (r: Sample): string => date(r).toISOString(),
  plain: (r: Sample): string => date(r).toISOString().slice(0, 19),
  spaced: (r: Sample): string => stamp.plain(r).replace("T", " "),
  comma: (r: Sample): string => `${stamp.spaced(r)},310`,
  date: (r: Sample): string => stamp.plain(r).slice(0, 10),
  time: (r: Sample): string => stamp.plain(r).slice(11),
  slashed: (r: Sample): string => `${stamp.spaced(r).replaceAll("-", "/")}.310`,
  gin: (r: Sample): string => stamp.spaced(r).replaceAll("-", "/").replace(" ", " - "),
  seconds: (r: Sample): string => String(r.time / 1_000),
  decimal: (r: Sample): string => (r.time / 1_000).toFixed(3),
  clf: (r: Sample): string => `${stamp.day(r)}:${stamp.time(r)} +0000`,
  clfMs: (r: Sample): string => `${stamp.day(r)}:${stamp.time(r)}.310`,
  clfSpaced: (r: Sample): string => `${stamp.day(r)} ${stamp.time(r)}`,
  day: (r: Sample): string =>
    `${two(date(r).getUTCDate())}/${month(r)}/${date(r).getUTCFullYear()}`,
  syslog: (r: Sample): string =>
    `${month(r)} ${String(date(r).getUTCDate()).padStart(2)} ${stamp.time(r)}`,
};

function month(request: Sample): string {
  const index = date(request).getUTCMonth();
  return MONTHS.slice(index * 3, index * 3 + 3);
}
