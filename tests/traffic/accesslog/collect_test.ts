import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import fc, { COSTLY } from "fast-check";
import {
  COLLECTOR_KINDS,
  type LogCollector,
  type RequestCollector,
} from "../../../src/traffic/accesslog/collect/collector.ts";
import { EndpointValues } from "../../../src/traffic/accesslog/collect/endpoint_values.ts";
import {
  buildFilters,
  type FilterOptions,
  PathPatterns,
} from "../../../src/traffic/accesslog/collect/filters.ts";
import {
  collectIds,
  collectQueries,
  parseHost,
  rawHost,
} from "../../../src/traffic/accesslog/collect/request_url.ts";
import { isBot } from "../../../src/traffic/accesslog/collect/traffic_sample.ts";
import { Visits } from "../../../src/traffic/accesslog/collect/visits.ts";
import { COMBINED, detectFormat } from "../../../src/traffic/accesslog/formats/formats.ts";
import { LogScanner } from "../../../src/traffic/accesslog/log_scanner.ts";
import { Tally } from "../../../src/traffic/accesslog/profile/traffic_profile.ts";
import type { LogFormat } from "../../../src/traffic/accesslog/read/log_format.ts";
import { LogRequest } from "../../../src/traffic/accesslog/read/log_request.ts";
import { createCollector } from "../../../src/traffic/accesslog/slices.ts";
import { logLine } from "../../builders/log_line.ts";
import { mixedLog } from "../../builders/mixed_log.ts";
import { FORMAT_SAMPLES } from "../../support/format_samples.ts";
import { readLines } from "../../support/read_lines.ts";

const CHROME = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36";

const BOTS: Record<string, readonly string[]> = {
  crawlers: [
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "AhrefsSiteAudit/6.1",
    "Barkrowler/0.9 (+https://babbar.tech/crawler)",
    "meta-externalagent/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)",
    `Mozilla/5.0 (Linux; Android 11; moto g power (2022)) ${CHROME} Chrome-Lighthouse`,
    "facebookexternalhit/1.1",
  ],
  "health checks": [
    "Amazon-Route53-Health-Check-Service (ref 1; report http://amzn.to/1vsZADi)",
    "Envoy/HC",
    "Prometheus/2.45.0",
    "Blackbox Exporter/0.24.0",
    "check_http/v2.3.3 (nagios-plugins 2.3.3)",
    "Zabbix",
    "New Relic Synthetics",
    "Apache/2.4.57 (Debian) (internal dummy connection)",
    "ELB-HealthChecker/2.0",
    "kube-probe/1.27",
    "GoogleHC/1.0",
    "Uptime-Kuma/1.23.0",
    "health-check",
    "HealthCheck",
    "Consul Health Check",
  ],
  "load tools": [
    ...["k6/0.47.0 (https://k6.io/)", "ApacheBench/2.3", "Apache-JMeter/5.6", "vegeta"],
    ...["wrk/4.2.0", "hey/0.0.1", "oha/1.4.0", "Siege/4.1", "h2load nghttp2/1.43.0"],
    ...["fortio.org/fortio-1.60.3", "rehearse/0.1.0"],
  ],
  scanners: [
    "Nuclei - Open-source project (github.com/projectdiscovery/nuclei)",
    "Mozilla/5.0 (compatible; Nessus)",
    "Acunetix",
    "w3af.org",
    "gobuster/3.6",
    "DirBuster-1.0-RC1",
    "Wfuzz/3.1.0",
    "Fuzz Faster U Fool v2.1.0",
    "Mozilla/5.0 (compatible; CensysInspect/1.1; +https://about.censys.io/)",
    "Mozilla/5.0 zgrab/0.x",
    "sqlmap/1.7#stable (https://sqlmap.org)",
  ],
  "HTTP libraries": [
    "python-httpx/0.25.0",
    "Python/3.11 aiohttp/3.9.1",
    "axios/1.6.2",
    "node-fetch/1.0 (+https://github.com/bitinn/node-fetch)",
    "libcurl/7.88.1",
    "curl/8.5.0",
    "Wget/1.21.4",
    "PycURL/7.45.2",
    "GuzzleHttp/7",
    "Go-http-client/1.1",
    "Java/1.8.0_392",
    "python-requests/2.31.0",
    "PostmanRuntime/7.36.0",
  ],
  "empty agents": ["", "-"],
};

for (const [kind, agents] of Object.entries(BOTS)) {
  Deno.test(`isBot returns true for ${kind}`, () =>
    assertEquals(agents.filter((agent) => !isBot(agent)), []));
}

const PEOPLE = [
  `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME}`,
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like " +
  "Gecko) Version/17.1 Mobile/15E148 Safari/604.1",
  "Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0",
  `Mozilla/5.0 (Linux; Android 10; CUBOT X30) ${CHROME}`,
  `Mozilla/5.0 (Linux; Android 9; CUBOT_P30) ${CHROME}`,
  `Mozilla/5.0 (Linux; Android 7.0;CUBOT CUBOT NOTE S) ${CHROME}`,
  "Mozilla/5.0 (Linux; U; Android 6.0; de-de; CUBOT DINOSAUR Build/MRA58K) AppleWebKit/534.30 " +
  "(KHTML, like Gecko) Version/4.0 Mobile Safari/534.30",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like " +
  "Gecko) Mobile/15E148 Instagram 309.0.0.28.108 (iPhone14,5; iOS 17_1)",
  "MyApp/1.2 CFNetwork/1474 Darwin/23.0.0",
  "Dalvik/2.1.0 (Linux; U; Android 13; Pixel 7 Build/TQ3A)",
  "Mozilla/5.0 (compatible; MSIE 9.0; Windows NT 6.1; WOW64; Trident/5.0; chromeframe/19.0.1084.52)",
  "okhttp/4.12.0",
  "Dart/3.2 (dart:io)",
];

Deno.test("isBot returns false for browsers and apps, even if the name of the phone contains `bot`", () => {
  assertEquals(PEOPLE.filter((agent) => isBot(agent)), []);
});

Deno.test("isBot returns the same result for user agents as CloudFront, Akamai and IIS encode them", () => {
  const encoders: Readonly<Record<string, (agent: string) => string>> = {
    CloudFront: (agent) => agent.replaceAll(" ", "%20").replaceAll('"', "%22"),
    "CloudFront, twice": (agent) => agent.replaceAll(" ", "%2520"),
    Akamai: encodeURIComponent,
    IIS: (agent) => agent.replaceAll(" ", "+"),
  };
  for (const [server, encode] of Object.entries(encoders)) {
    for (const agent of [...Object.values(BOTS).flat(), ...PEOPLE]) {
      assertEquals(isBot(encode(agent)), isBot(agent), `${server}: ${agent}`);
    }
  }
});

Deno.test("isBot returns true for a bot on a CUBOT phone", () => {
  assertEquals(
    isBot(`Mozilla/5.0 (Linux; Android 10; CUBOT X30) ${CHROME} Chrome-Lighthouse`),
    true,
  );
});

const START = Date.UTC(2026, 10, 21, 10);

const DESKTOP_CHROME =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36";

interface Line {
  readonly second: number;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly agent: string;
}

const line: fc.Arbitrary<Line> = fc.record({
  second: fc.integer({ min: 0, max: 59 }),
  method: fc.constantFrom("GET", "HEAD", "POST", "PUT"),
  path: fc.constantFrom("/", "/api/a", "/api/b?x=/shop", "/shop/c.png", "/a.css?v=1", "/b/c.json"),
  status: fc.constantFrom(200, 204, 301, 404, 500),
  agent: fc.constantFrom("-", "", DESKTOP_CHROME, "Googlebot/2.1", "curl/8.5.0", "Uptime-Kuma/1.0"),
});

const options: fc.Arbitrary<FilterOptions> = fc.record({
  since: fc.integer({ min: START, max: START + 60_000 }),
  until: fc.integer({ min: START, max: START + 60_000 }),
  include: fc.subarray([/^\/api/, /shop/]),
  exclude: fc.subarray([/b$/, /png/]),
  methods: fc.subarray(["GET", "POST"]),
  statuses: fc.subarray(["2xx", "404"]),
  noStatic: fc.boolean(),
  noBots: fc.constant(true),
}, { requiredKeys: [] });

/** Slow reference implementation: reports whether a line passes the filters. */
function isKept({ second, method, path, status, agent }: Line, filters: FilterOptions): boolean {
  const at = START + second * 1_000;
  const [bare] = path.split("?");
  const isStatic = /\.(?:png|css)$/.test(bare) && (method === "GET" || method === "HEAD");
  const { include = [], exclude = [], methods = [], statuses = [] } = filters;
  return at >= (filters.since ?? 0) && at < (filters.until ?? Infinity) &&
    (include.length === 0 || include.some((pattern) => pattern.test(bare))) &&
    !exclude.some((pattern) => pattern.test(bare)) &&
    (methods.length === 0 || methods.includes(method)) &&
    (statuses.length === 0 || statuses.some((text) =>
      text === String(status) ||
      text === `${String(status)[0]}xx`
    )) &&
    !(filters.noStatic && isStatic) && !(filters.noBots && /bot|curl|Uptime|^-?$/.test(agent));
}

Deno.test("filters keep and drop the same requests as a reference implementation", () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 40 }), options, (lines, options) => {
      const log = lines.map(({ second, method, path, status, agent }) =>
        `10.0.0.1 - - [21/Nov/2026:10:00:${String(second).padStart(2, "0")} +0000] ` +
        `"${method} ${path} HTTP/1.1" ${status} 1 "-" "${agent}"\n`
      ).join("");
      const filters = buildFilters(options);
      const profile = readLines(new TextEncoder().encode(log), COMBINED, { filters });
      assertEquals(profile.requests, lines.filter((one) => isKept(one, options)).length);
      const dropped = filters.reduce((sum, filter) => sum + filter.dropped, 0);
      assertEquals(profile.requests + dropped, lines.length);
    }),
    COSTLY,
  );
});

Deno.test("--no-bots keeps lines without a user agent field", () => {
  const log = '10.0.0.1 - - [21/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 1\n';
  const filters = buildFilters({ noBots: true });
  assertEquals(readLines(new TextEncoder().encode(log), COMBINED, { filters }).requests, 1);
});

const SETTINGS = { method: "GET", target: "/users/3/orders/9" };
const every = await Promise.all(
  COLLECTOR_KINDS.map((kind) => createCollector({ kind, settings: SETTINGS })),
);

/**
 * Functions that create each kind of collector, and some collectors whose limits are so small that
 * they keep only samples.
 */
const COLLECTORS: Readonly<Record<string, () => LogCollector>> = {
  ...Object.fromEntries(every.map((one) => [one.kind, () => fresh(one)])),
  "sampled queries": () =>
    new EndpointValues("queries", 5, (request, out) => {
      const { bytes, pathEnd, to } = request.target;
      out.set(bytes.subarray(pathEnd, to));
      return to - pathEnd;
    }),
  "visits with few requests": () => new Visits({ requests: 20 }),
};

function fresh(one: LogCollector): LogCollector {
  if (one.kind === "ids") return collectIds();
  if (one.kind === "queries") return collectQueries();
  const { constructor } = one as unknown as {
    constructor: new (...args: unknown[]) => LogCollector;
  };
  return one.kind === "entry"
    ? new constructor(SETTINGS.method, SETTINGS.target)
    : new constructor();
}

/** Splits lines at the given positions. Returns the text of each part. */
function split(lines: readonly string[], cuts: readonly number[]): string[] {
  const at = cuts.map((cut) => cut % (lines.length + 1)).sort((a, b) => a - b);
  return [0, ...at].map((from, i) => lines.slice(from, at[i]).join(""));
}

/** Reads a part of a log that starts at log offset `offset`. */
function scan(text: string, collectors: readonly RequestCollector[], offset = 0): void {
  const scanner = new LogScanner(new Tally(), COMBINED, { filters: [], collectors });
  scanner.start(offset, 0);
  scanner.scan(new TextEncoder().encode(text));
  scanner.finish();
}

const NAMES = Object.keys(COLLECTORS);

function createAll(): LogCollector[] {
  return NAMES.map((name) => COLLECTORS[name]());
}

/** Reads a part of a log and returns what each collector collected, as JSON. */
function collected(text: string): string[] {
  const collectors = createAll();
  scan(text, collectors);
  return asJson(collectors);
}

function asJson(collectors: readonly LogCollector[]): string[] {
  return collectors.map((one) => JSON.stringify(one.toJson()));
}

function assertSame(merged: readonly string[], whole: readonly string[]): void {
  for (const [i, name] of NAMES.entries()) assertEquals(merged[i], whole[i], name);
}

const log = mixedLog(120);
const cuts = fc.array(fc.nat(), { maxLength: 4 });

Deno.test("merging the profiles of a log's parts gives what each collector collects from the whole log", () => {
  fc.assert(
    fc.property(log, cuts, fc.boolean(), (lines, cuts, isRightFirst) => {
      const parts = split(lines, cuts).map((text) => ({
        length: new TextEncoder().encode(text).length,
        json: collected(text),
      }));
      const merge = (from: typeof parts): (typeof parts)[number] => {
        const collectors = createAll();
        let length = 0;
        for (const { json, length: more } of from) {
          for (const [i, one] of collectors.entries()) {
            one.merge(JSON.parse(json[i]), length);
          }
          length += more;
        }
        return { length, json: asJson(collectors) };
      };
      const [first, ...rest] = parts;
      const merged = isRightFirst && rest.length > 0 ? merge([first, merge(rest)]) : merge(parts);
      assertSame(merged.json, collected(lines.join("")));
    }),
    COSTLY,
  );
});

Deno.test("merging slices gives what each collector collects from the whole log, regardless of which thread reads which slice", () => {
  fc.assert(
    fc.property(log, cuts, fc.array(fc.nat(2), { minLength: 6 }), (lines, cuts, threads) => {
      const merged = createAll();
      const own = Array.from({ length: 3 }, createAll);
      let offset = 0;
      for (const [i, text] of split(lines, cuts).entries()) {
        scan(text, own[threads[i]], offset);
        offset += new TextEncoder().encode(text).length;
      }
      for (const thread of [2, 0, 1]) {
        for (const [i, one] of own[thread].entries()) {
          merged[i].merge(structuredClone(one.toJson()), 0);
        }
      }
      assertSame(asJson(merged), collected(lines.join("")));
    }),
    COSTLY,
  );
});

Deno.test("EndpointValues keeps the frequent values of any log and estimates the total number of requests", () => {
  const values = new EndpointValues("queries", 12_000, (request, out) => {
    const { bytes, pathEnd, to } = request.target;
    out.set(bytes.subarray(pathEnd, to));
    return to - pathEnd;
  });
  let seed = 1;
  const next = () => (seed = seed * 48_271 % 2_147_483_647) / 2_147_483_647;
  const lines: string[] = [];
  for (let i = 0; i < 60_000; i++) {
    const time = new Date(Date.UTC(2026, 10, 21) + i * 1_000).toISOString().slice(11, 19);
    const query = next() < 0.3
      ? `frequent=${Math.floor(next() * 10)}`
      : `rare=${Math.floor(next() * 1e9)}`;
    lines.push(`h - - [21/Nov/2026:${time} +0000] "GET /a?${query} HTTP/1.1" 200 1\n`);
  }
  scan(lines.join(""), [values]);
  const [found] = values.forEndpoints(["GET /a"]);
  assert(!values.isExact);
  assert(found.length <= 12_000);
  assertEquals(found.slice(0, 10).every(({ value }) => value.startsWith("?frequent")), true);
  const sum = (rows: typeof found) => rows.reduce((all, { count }) => all + count, 0);
  assertAlmostEquals(sum(found.slice(0, 10)), 18_000, 18_000 * 0.05);
  assertAlmostEquals(sum(found), 60_000, 60_000 * 0.05);
});

/** Creates a request to an endpoint whose path contains ids. */
function requestTo(route: string): LogRequest {
  const bytes = new TextEncoder().encode(`GET ${route}`);
  const request = new LogRequest();
  Object.assign(request.key, { bytes, from: 0, to: bytes.length, hasId: true });
  return request;
}

Deno.test("if isSameForEndpoint is true, the patterns have the same result for all paths of the endpoint", () => {
  const part = fc.stringMatching(/^[ab.]{0,3}$/);
  const start = fc.tuple(part, part).map((parts) => `/${parts.join("/")}/`);
  const ids = fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 8 });
  const source = fc.tuple(fc.constantFrom("", "^"), fc.stringMatching(/^\/?[ab1]{0,2}(\/[ab1]?)?$/))
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(
      start,
      ids,
      fc.array(source, { minLength: 1, maxLength: 3 }),
      (start, ids, sources) => {
        const patterns = new PathPatterns(sources.map((source) => new RegExp(source, "u")));
        if (!patterns.isSameForEndpoint(requestTo(start + "${vars.id}"))) return;
        const results = new Set(ids.map((id) => patterns.match(start + id)));
        assertEquals(results.size, 1);
      },
    ),
  );
});

const encoder = new TextEncoder();

/** Returns the host of the request in a line of a log in `format`. */
function hostOf(line: string, format: LogFormat): string | undefined {
  let host: string | undefined;
  const collector = {
    add: (request: Parameters<typeof rawHost>[0]) => {
      const raw = rawHost(request);
      host = raw && parseHost(raw);
    },
  };
  readLines(encoder.encode(`${line}\n`), format, { collectors: [collector] });
  return host;
}

const WITH_HOST = ["alb", "caddy", "cloudflare", "envoy", "traefik", "vhost_combined"] as const;

for (const name of WITH_HOST) {
  Deno.test(`the host of a request is found in the format ${name}`, () => {
    const sample = FORMAT_SAMPLES[name];
    const format = detectFormat(encoder.encode(`${sample}\n`))!;
    assertEquals([format.name, hostOf(sample, format)], [name, "shop.example"]);
  });
}

Deno.test("the host of a request is read from an absolute URL, but not from a URL in the query", () => {
  const host = (target: string) =>
    hostOf(`10.0.0.1 - - [21/Nov/2026:10:00:00 +0000] "GET ${target} HTTP/1.1" 200 5`, COMBINED);
  assertEquals(host("http://Shop.Example:80/a"), "shop.example");
  assertEquals(host("https://shop.example?a=b"), "shop.example");
  assertEquals(host("https://user@[::1]:8443/"), "[::1]:8443");
  assertEquals(host("/login?next=https://other.example/"), undefined);
  assertEquals(host("/"), undefined);
});

const MIDNIGHT = Date.UTC(2026, 10, 21);
const MINUTE = 60_000;

function read(lines: readonly string[], visits = new Visits()): Visits {
  readLines(new TextEncoder().encode(lines.join("")), COMBINED, { collectors: [visits] });
  return visits;
}

/** Returns the URLs of each visit. */
function urls(visits: Visits): string[][] {
  return visits.list().map(({ requests }) => requests.map(({ url }) => visits.url(url)));
}

Deno.test("Visits ends a visit after 30 idle minutes, and separates clients and user agents", () => {
  const visits = read([
    logLine({ at: MIDNIGHT, client: "10.0.0.1", path: "/a" }),
    logLine({ at: MIDNIGHT + 1_000, client: "10.0.0.2", path: "/b" }),
    logLine({ at: MIDNIGHT + 30 * MINUTE, client: "10.0.0.1", path: "/a?x=1" }),
    logLine({ at: MIDNIGHT + 60 * MINUTE + 1_000, client: "10.0.0.1", path: "/c" }),
    logLine({ at: MIDNIGHT + 60 * MINUTE + 2_000, client: "10.0.0.1", agent: "other", path: "/d" }),
  ]);
  assertEquals(urls(visits), [["/a", "/a?x=1"], ["/b"], ["/c"], ["/d"]]);
  assertEquals(visits.oneIn, 1);
});

Deno.test("Visits orders the requests by time, and requests of one second as in the log", () => {
  const visits = read([
    logLine({ at: MIDNIGHT + 5_000, path: "/second" }),
    logLine({ at: MIDNIGHT + 5_000, path: "/third" }),
    logLine({ at: MIDNIGHT, path: "/first" }),
  ]);
  assertEquals(urls(visits), [["/first", "/second", "/third"]]);
});

Deno.test("Visits percent-encodes what cannot be in a URL, and keeps the rest as recorded", () => {
  const visits = read([logLine({ at: MIDNIGHT, path: "/a%2Fb//c;v=1?q=\\xe4 {x}&r=a,b#c" })]);
  const [[url]] = urls(visits);
  assert(/^\/a%2Fb\/\/c;v=1\?q=[!-~]*$/.test(url), url);
});

Deno.test("a full Visits collector keeps whole visits of a sample of visitors", () => {
  const lines = Array.from({ length: 400 }, (_, i) => [
    logLine({ at: MIDNIGHT + i * 1_000, client: `10.0.${i >> 6}.${i % 64}`, path: `/${i}` }),
    logLine({ at: MIDNIGHT + i * 1_000, client: `10.0.${i >> 6}.${i % 64}`, path: "/next" }),
  ]).flat();
  const whole = new Set(urls(read(lines)).map((visit) => visit.join(" ")));
  const sampled = read(lines, new Visits({ requests: 300 }));
  assertEquals(whole.size, 400);
  assert(sampled.oneIn === 4 || sampled.oneIn === 8, `1 in ${sampled.oneIn}`);
  const found = urls(sampled);
  assert(found.length > 30 && found.length <= 150, `${found.length} visits`);
  for (const visit of found) assert(whole.has(visit.join(" ")));
});
