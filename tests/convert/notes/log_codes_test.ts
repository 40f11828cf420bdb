import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { LOG_NOTES } from "../../../src/convert/notes/notes.ts";
import { logLine } from "../../builders/log_line.ts";
import { runCli } from "../../support/cli.ts";
import { CliFolder } from "../../support/cli_folder.ts";

const START = Date.UTC(2026, 10, 1);
const NOW = Date.UTC(2026, 11, 1);

/**
 * A log with two clients, ids in paths, a credential in a query string, POST requests, and a
 * malformed line.
 */
const LOG = [
  ...Array.from({ length: 40 }, (_, i) =>
    logLine({
      at: START + 1_000 * i,
      client: `10.0.0.${i % 2}`,
      method: i % 4 === 3 ? "POST" : "GET",
      path: ["/", `/item/${i}`, `/find?token=4f6c1d2e8a9b7c3${i % 10}`, "/order"][i % 4],
    })),
  "not a line of a log\n",
];
/** One request in 1970, and 600 requests within ten minutes in 2026. */
const OUTLIER = [
  logLine({ at: 5_000 }),
  ...Array.from({ length: 600 }, (_, i) => logLine({ at: START + 1_000 * i })),
];
/** A log whose requests have durations, and timestamps without a time zone. */
const TIMED = Array.from(
  { length: 200 },
  (_, i) => `2026-11-01T10:00:${String(i % 60).padStart(2, "0")} GET / 200 0.012\n`,
).sort();
const TIMED_FORMAT = "$time_iso8601 $request_method $request_uri $status $request_time";

Deno.test("convert emits every access-log note code", async () => {
  using folder = new CliFolder();
  const emitted = new Set<string>();
  const convert = async (lines: readonly string[], ...options: string[]) => {
    const log = join(folder.path, "access.log");
    await Deno.writeTextFile(log, lines.join(""));
    const args = ["convert", log, "--warnings", "json", "-o", join(folder.path, "plan.yaml")];
    const { stderr } = await runCli([...args, ...options.map((o) => o.replace("LOG", log))], {
      now: NOW,
    });
    for (const line of stderr.split("\n")) {
      if (line.startsWith("{")) emitted.add(JSON.parse(line).code);
    }
  };
  await convert(LOG, "--top", "1", "--exclude", "order");
  await convert(LOG, "--query", "keep", "--ids", join(folder.path, "ids.csv"), "LOG");
  await convert(LOG, "--query", "keep", "--redact");
  await convert(LOG.map((line, i) => `${i % 2 ? "api" : "shop"}.example ${line}`));
  await convert(LOG, "--shape", "curve", "--duration", "10s");
  await convert(LOG, "--shape", "exact", "--squeeze", "2");
  await convert(LOG, "--journeys", "--route", "/item/:item", "--route", "/none/:x");
  const hours = [10, 12, 10, 11].map((hour) => logLine({ at: START + 3_600_000 * hour }));
  await convert(hours, "--journeys");
  await convert(LOG.map((line) => line.replace("10.0.0.1", "10.0.0.0")), "--journeys");
  await convert(
    LOG.map((line) => `shop.example ${line}`),
    "--log-format",
    "combined",
    "--journeys",
  );
  await convert(OUTLIER);
  await convert([logLine({ at: START, status: 304 })]);
  await convert(
    ["02:30:00", "02:40:00", "04:00:00"].map((time) => `2026-10-25T${time} GET / 200\n`),
    ...["--log-format", "$time_iso8601 $request_method $request_uri $status"],
    ...["--time-zone", "Europe/Berlin"],
  );
  await convert(LOG, "--speed", "2000000");
  await convert(TIMED, "--log-format", TIMED_FORMAT, "--thresholds");
  await convert(TIMED, "--log-format", TIMED_FORMAT.replace("$status", "$code"));
  await convert(['{"t":"2026-11-01T10:00:00Z","m":"GET","u":"/","s":200}\n']);
  const har = new URL("../../../src/demo/sample/session.har", import.meta.url).pathname;
  await convert(LOG, "--journeys", "--login", har);
  await convert(
    [logLine({ at: START }), logLine({ at: START + 9_000 })],
    "--from",
    "accesslog",
    "--har",
    har,
  );
  // A process without the permission to start threads: tests/cli/commands/convert_test.ts
  emitted.add("one-thread");
  assertEquals(Object.keys(LOG_NOTES).filter((code) => !emitted.has(code)), []);
});
