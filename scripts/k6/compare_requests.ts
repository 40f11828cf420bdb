import type { ReceivedRequest } from "./recording_server.ts";

/** Headers that the HTTP client of k6 sets itself. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  "user-agent",
  "content-length",
  "connection",
  "sec-websocket-key",
  "sec-websocket-extensions",
]);

/**
 * Matches values that both tools generate at random: UUIDs and the boundaries of multipart bodies.
 */
const RANDOM =
  /(?:rehearse-)?[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/gi;

/**
 * Sorts requests that a tool sent in parallel, so that their order does not matter. Removes
 * cookies, because they depend on the order of the responses.
 */
export function inOneOrder(requests: readonly ReceivedRequest[]): ReceivedRequest[] {
  const key = ({ method, target, headers, body }: ReceivedRequest) =>
    [method, target, body, ...headers.map(([name, value]) => `${name}:${value}`).sort()].join("\n")
      .toLowerCase();
  return requests.map((request) => ({
    ...request,
    headers: request.headers.filter(([name]) => !/^cookie$/i.test(name)),
  })).sort((a, b) => key(a) < key(b) ? -1 : 1);
}

/**
 * Returns the differences between the requests that two tools sent, in order. Ignores the order and
 * the case of header names, the order of cookies, and generated values. `hasUserAgent` is true if
 * the plan sets the User-Agent.
 */
export function requestDifferences(
  expected: readonly ReceivedRequest[],
  actual: readonly ReceivedRequest[],
  hasUserAgent: boolean,
): string[] {
  const differences: string[] = [];
  if (expected.length !== actual.length) {
    differences.push(`${expected.length} requests, but k6 sent ${actual.length}`);
  }
  for (let i = 0; i < Math.min(expected.length, actual.length); i++) {
    const a = normalize(expected[i], hasUserAgent);
    const b = normalize(withoutOwnReferer(actual[i], expected[i], actual), hasUserAgent);
    for (const part of ["method", "target", "headers", "body"] as const) {
      if (a[part] === b[part]) continue;
      differences.push(`request ${i + 1}, ${part}: ${shown(a[part])} ≠ ${shown(b[part])}`);
    }
  }
  return differences;
}

/**
 * Removes the Referer header that k6 adds when it follows a redirect. Keeps the header if the plan
 * sends one too.
 */
function withoutOwnReferer(
  request: ReceivedRequest,
  expected: ReceivedRequest,
  all: readonly ReceivedRequest[],
): ReceivedRequest {
  const value = ({ headers }: ReceivedRequest) =>
    headers.find(([name]) => name.toLowerCase() === "referer")?.[1];
  const referer = value(request);
  const isOwn = referer !== undefined && value(expected) === undefined &&
    all.some(({ target }) => referer.endsWith(target));
  return isOwn
    ? { ...request, headers: request.headers.filter(([name]) => name.toLowerCase() !== "referer") }
    : request;
}

function shown(text: string): string {
  return JSON.stringify(text.length > 400 ? `${text.slice(0, 400)}…` : text);
}

function normalize({ method, target, headers, body }: ReceivedRequest, hasUserAgent: boolean) {
  const lines = headers.map(([name, value]) => [name.toLowerCase(), value])
    .filter(([name]) => !OWN_HEADERS.has(name) || (name === "user-agent" && hasUserAgent))
    .map(([name, value]) =>
      name === "cookie" ? [name, value.split("; ").sort().join("; ")] : [name, value]
    )
    .map(([name, value]) => `${name}: ${value.replace(RANDOM, "RANDOM")}`);
  return {
    method,
    target: target.replace(/[\\^`{|}]/g, encodeURIComponent).replace(RANDOM, "RANDOM"),
    headers: lines.sort().join("\n"),
    body: body.replace(RANDOM, "RANDOM"),
  };
}
