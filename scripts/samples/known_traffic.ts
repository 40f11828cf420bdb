/** A request as recorded by the client that sent it, or by the script that wrote the log. */
export interface KnownRequest {
  /** Time of the request, in Unix milliseconds. */
  readonly time: number;
  readonly client: string;
  readonly status: number;
}

/** Totals of the requests in a log. */
export interface Traffic {
  readonly requests: number;
  /** Seconds from the first to the last request, inclusive. */
  readonly seconds: number;
  /** Unix time of the first request, in whole seconds. */
  readonly first: number;
  /** Number of distinct clients. */
  readonly clients: number;
  /** Number of requests by status. */
  readonly statuses: Readonly<Record<string, number>>;
}

/** Returns the totals of the requests. */
export function addUp(requests: readonly KnownRequest[]): Traffic {
  const seconds = requests.map(({ time }) => Math.floor(time / 1_000));
  const first = Math.min(...seconds);
  const statuses: Record<string, number> = {};
  for (const { status } of requests) statuses[status] = (statuses[status] ?? 0) + 1;
  return {
    requests: requests.length,
    seconds: Math.max(...seconds) - first + 1,
    first,
    clients: new Set(requests.map(({ client }) => client)).size,
    statuses,
  };
}

/**
 * Maximum difference, in seconds, between the client's times and the times in a server's log. They
 * differ because a server may log the time at which a request ended.
 */
const CLOCK_SECONDS = 2;

/**
 * Describes how the requests read from a log, `read`, differ from the known requests. Returns an
 * empty list if they do not differ. `lacks` lists the fields that the log does not contain, which
 * are not compared. Unless `isExact` is true, times may differ by `CLOCK_SECONDS`.
 */
export function differences(
  read: Traffic,
  known: Traffic,
  lacks: readonly string[],
  isExact: boolean,
): string[] {
  const most = isExact ? 0 : CLOCK_SECONDS;
  const statuses = (traffic: Traffic) => JSON.stringify(Object.entries(traffic.statuses).sort());
  return [
    read.requests === known.requests ? "" : `${read.requests} requests, not ${known.requests}`,
    Math.abs(read.seconds - known.seconds) <= most
      ? ""
      : `${read.seconds} s, not ${known.seconds} s`,
    Math.abs(read.first - known.first) <= most ? "" : `starts at ${read.first}, not ${known.first}`,
    lacks.includes("client") || read.clients === known.clients
      ? ""
      : `${read.clients} clients, not ${known.clients}`,
    lacks.includes("status") || statuses(read) === statuses(known)
      ? ""
      : `statuses ${statuses(read)}, not ${statuses(known)}`,
  ].filter((text) => text !== "");
}
