import { assertEquals } from "@std/assert";
import fc, { COSTLY } from "fast-check";
import {
  buildFilters,
  type FilterOptions,
} from "../../../../src/traffic/accesslog/collect/filters.ts";
import { COMBINED } from "../../../../src/traffic/accesslog/formats/formats.ts";
import { readLines } from "../../../support/read_lines.ts";

const START = Date.UTC(2026, 10, 21, 10);

const CHROME =
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
  agent: fc.constantFrom("-", "", CHROME, "Googlebot/2.1", "curl/8.5.0", "Uptime-Kuma/1.0"),
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
