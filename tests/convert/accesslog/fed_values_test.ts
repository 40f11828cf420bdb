import { assert, assertEquals } from "@std/assert";
import { random } from "../../../src/base/random.ts";
import { convertAccessLog } from "../../../src/convert/from_accesslog.ts";
import { collectIds, collectQueries } from "../../../src/traffic/accesslog/collect/request_url.ts";
import { COMBINED } from "../../../src/traffic/accesslog/formats/formats.ts";
import { differs } from "../../oracles/chi_square.ts";
import { runInVirtualTime } from "../../support/run_in_virtual_time.ts";
import { readLines } from "../../support/read_lines.ts";

const REQUESTS = 6_000;

/**
 * Returns the request targets of a fictional shop, with correlated ids in paths and correlated
 * query parameters.
 */
function targets(): string[] {
  const { int } = random(3);
  const skewed = (most: number) => Math.floor(most * (int(0, 999) / 1_000) ** 3);
  return Array.from({ length: REQUESTS }, () => {
    const user = skewed(40);
    switch (int(0, 3)) {
      case 0:
        return `/users/${user}/orders/${user * 1_000 + int(0, 1)}`;
      case 1:
        return skewed(3) === 0
          ? "/search"
          : `/search?page=${user}&sort=${user % 2 ? "new" : "old"}`;
      case 2:
        return `/products/${user}?ref=mail`;
      default:
        return "/";
    }
  });
}

function tally(values: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

Deno.test("a plan sends ids and query strings as often as they occur in the log", async () => {
  const recorded = targets();
  const log = recorded.map((target, i) =>
    `10.0.0.1 - - [21/Nov/2026:10:${String(Math.floor(i / 100)).padStart(2, "0")}:00 +0000] ` +
    `"GET ${target} HTTP/1.1" 200 1\n`
  ).join("");
  const ids = collectIds();
  const queries = collectQueries();
  const collectors = [ids, queries];
  const profile = readLines(new TextEncoder().encode(log), COMBINED, { collectors });
  const { plan, files, notes } = convertAccessLog(profile, {
    top: 20,
    baseUrl: "http://t",
    ids: { seen: ids, path: "ids.csv" },
    queries,
  });
  assertEquals(plan.variables, undefined);
  assertEquals(notes.map(({ code }) => code), ["average-rate", "ids-fed", "query-kept"]);
  const { sent } = await runInVirtualTime(plan, { files: { "ids.csv": files!.ids! } });
  assert(Math.abs(sent.length - REQUESTS) <= 1);
  assert(!differs(tally(sent.map(({ target }) => target)), tally(recorded)));
});

Deno.test("the ids and the query string of a request come from the same recorded request", async () => {
  const log = Array.from({ length: 300 }, (_, i) => {
    const user = i % 60;
    const target = i % 3 === 0
      ? `/list?page=${i % 7}`
      : `/user/${user}/order/${9_000 + i}?as=${user}`;
    return `10.0.0.1 - - [21/Nov/2026:10:00:${10 + i % 50} +0000] "GET ${target} HTTP/1.1" 200 1\n`;
  }).join("");
  const recorded = new Set(log.match(/\/\S+(?= HTTP)/g));
  const [ids, queries] = [collectIds(), collectQueries()];
  const collectors = [ids, queries];
  const profile = readLines(new TextEncoder().encode(log), COMBINED, { collectors });
  const options = { top: 20, baseUrl: "http://t", ids: { seen: ids, path: "ids.csv" } };
  const { plan, files } = convertAccessLog(profile, { ...options, queries });
  const { sent } = await runInVirtualTime(plan, { files: { "ids.csv": files!.ids! } });
  assert(sent.length > 200);
  for (const { target } of sent) assert(recorded.has(target), target);
  const without = convertAccessLog(profile, options);
  assertEquals(without.files!.ids!.split("\n")[0], "ids_1_1,ids_1_2,ids_1_count");
});

Deno.test("the chi-square test rejects ids that are drawn with equal probability", () => {
  const recorded = tally(targets());
  const even = new Map([...recorded.keys()].map((key) => [key, REQUESTS / recorded.size]));
  assert(differs(even, recorded));
});

Deno.test("a recorded expression in a path is text", async () => {
  const log = ["/x/${vars.id}", "/y/${vars.slug}/17", "/z/$${vars.a}"].map((target) =>
    `10.0.0.1 - - [21/Nov/2026:10:00:00 +0000] "GET ${target} HTTP/1.1" 200 1\n`
  ).join("");
  const ids = collectIds();
  const read = () => readLines(new TextEncoder().encode(log), COMBINED, { collectors: [ids] });
  const fed = convertAccessLog(read(), {
    top: 20,
    baseUrl: "http://t",
    ids: { seen: ids, path: "ids.csv" },
  });
  assertEquals(fed.plan.variables, undefined);
  assertEquals(fed.files!.ids, "ids_1_1,ids_1_count\n17,1\n");
  const { sent } = await runInVirtualTime(fed.plan, { files: { "ids.csv": fed.files!.ids! } });
  const targets = new Set(sent.map(({ target }) => target));
  assertEquals(
    [...targets].every((target) =>
      ["/x/${vars.id}", "/y/${vars.slug}/17", "/z/$${vars.a}"].includes(target)
    ),
    true,
    [...targets].join(),
  );
  const { plan, notes } = convertAccessLog(read(), { top: 20, baseUrl: "http://t" });
  assertEquals(plan.variables, { id: "1" });
  assertEquals(
    notes.find(({ code }) => code === "id-segments")?.message.startsWith(
      "id-like path segments of 1 request were replaced",
    ),
    true,
  );
});
