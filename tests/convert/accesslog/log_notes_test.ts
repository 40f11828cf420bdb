import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { LOG_NOTES, rateText } from "../../../src/convert/notes/notes.ts";
import { logLine } from "../../builders/log_line.ts";
import { runCli } from "../../support/cli.ts";
import { CliFolder } from "../../support/cli_folder.ts";

const DAY = 86_400_000;
const START = Date.UTC(2026, 10, 1);

interface Printed {
  readonly level: string;
  readonly code: string;
  readonly message: string;
}

/**
 * Converts a log with the given lines. Returns the notes, keyed by code, and the text of the plan.
 */
async function convert(
  lines: readonly string[],
  ...options: string[]
): Promise<{ notes: Map<string, Printed>; plan: string }> {
  const args = ["convert", "-", "--from", "accesslog", "--warnings", "json", ...options];
  const { code, stdout, stderr } = await runCli(args, {
    stdin: lines.join(""),
    now: Date.UTC(2026, 11, 1),
  });
  assertEquals(code, 0, stderr);
  const notes = stderr.trimEnd().split("\n").map((line) => JSON.parse(line) as Printed);
  return { notes: new Map(notes.map((note) => [note.code, note])), plan: stdout };
}

/** Returns the log lines of `count` requests, `step` ms apart. */
function spaced(
  count: number,
  step: number,
  change: (i: number) => Partial<Parameters<typeof logLine>[0]> = () => ({}),
  from = START,
): string[] {
  return Array.from({ length: count }, (_, i) => logLine({ at: from + step * i, ...change(i) }));
}

/** Returns the log lines of `count` requests, 100 ms apart, starting at `from`. */
function steady(from: number, count: number, path = (i: number) => `/p${i % 3}`): string[] {
  return spaced(count, 100, (i) => ({ path: path(i) }), from);
}

/** Returns a random number of seconds below `seconds`, in milliseconds. */
const jitter = (i: number, seconds: number) => 1_000 * ((i * 7_919) % seconds);

const OUTLIER = [...steady(START, 6_000), logLine({ at: 5_000 })];
const WEEK_APART = [...steady(START, 6_000), ...steady(START + 7 * DAY, 9_000)];
const PERIOD = "--since 2026-11-01T00:00:00Z --until 2026-11-01T00:10:00Z";
const LATER = "--since 2026-11-08T00:00:00Z --until 2026-11-08T00:15:00Z";
/** A one-minute burst of requests every hour. */
const BURSTS = Array.from({ length: 48 }, (_, hour) => steady(START + hour * 3_600_000, 600))
  .flat();
/** 500 of the 1,000 requests are to two endpoints. */
const LONG_TAIL = steady(START, 1_000, (i) => i % 2 === 0 ? `/top${i % 4}` : `/rare-${i}x`);
const WAVE = Array.from(
  { length: 3_600 },
  (_, t) => logLine({ at: START + 1_000 * t }).repeat(20 + Math.round(15 * Math.sin(t / 600))),
);
/** One request every 200 s on average, at a random time, so that a minute has at most one. */
const SPARSE = spaced(2_000, 200_000, (i) => ({ at: START + 200_000 * i + jitter(i, 200) }));
const PEAK = [
  ...steady(START, 100),
  ...Array.from({ length: 9 }, () => logLine({ at: START + 50_000 })),
];
const queries = (distinct: number) =>
  spaced(3_000, 100, (i) => ({ path: `/find?q=${i % distinct}` }));

/** Logs, a note that convert prints with these options, and parts of its message. */
const NOTES: Record<
  string,
  readonly [lines: readonly string[], note: string, ...parts: (string | RegExp)[]]
> = {
  "`gaps` suggests a period without an outlier": [
    OUTLIER,
    "warning[gaps]",
    "99.9% of the requests are in 10m of the log's 20758d",
    "10.00 req/s",
    PERIOD,
  ],
  "`odd-times` warns about requests before 1990": [
    OUTLIER,
    "warning[odd-times]",
    /^1 request is dated before 1990 /,
  ],
  "`odd-times` warns about requests dated in the future": [
    [...steady(START, 20), logLine({ at: Date.UTC(2026, 11, 1, 1) })],
    "warning[odd-times]",
    /^1 request is dated in the future /,
    "2026-12-01T01:00:00Z",
  ],
  "`gaps` suggests the busier of two short periods a week apart": [
    WEEK_APART,
    "warning[gaps]",
    "100.0% of the requests are in 25m of the log's 7d (2 periods)",
    "10.00 req/s",
    `\`${LATER}\` keeps the busiest period, with 60.0%`,
  ],
  "`gaps` finds gaps in a log that also has an outlier": [
    [logLine({ at: 5_000 }), ...WEEK_APART],
    "warning[gaps]",
    LATER,
  ],
  "`gaps` suggests `--busiest` if no period contains half of the requests": [
    [0, 7, 14].flatMap((day) => steady(START + day * DAY, 6_000)),
    "warning[gaps]",
    "has only 33.3% of the requests; `--busiest 10m` keeps the busiest 10m",
    /^(?!.*--since)/,
  ],
  "`gaps` suggests at most the length of the busiest period for `--busiest`": [
    BURSTS,
    "warning[gaps]",
    "; `--busiest 1m` keeps the busiest 1m",
  ],
  "`average-rate` suggests no option if the peak is the average": [
    spaced(2, 1_000),
    "info[average-rate]",
    /^the rate is the log's average of 1\.00 req\/s, which is also the peak$/,
  ],
  "`average-rate` suggests an option if the peak exceeds the average": [
    spaced(2, 2_000),
    "info[average-rate]",
    "; the peak is 1 req/s (use",
  ],
  "`average-rate` is a warning if the log's peak is more than twice the plan's rate": [
    PEAK,
    "warning[average-rate]",
    "`--shape exact` replays the log's own bursts",
  ],
  "`average-rate` multiplies the peak by the speed": [
    PEAK,
    "warning[average-rate] --speed 2",
    "2 times the log's peak is 20.00 req/s",
  ],
  "`long-tail` reports the rate of the kept endpoints as a multiple of their recorded rate": [
    LONG_TAIL,
    "warning[long-tail] --top 2",
    "50.0% of the requests",
    "at the log's full rate, which is 2 times their recorded rate",
  ],
  "`long-tail` includes the speed in the multiple": [
    LONG_TAIL,
    "warning[long-tail] --top 2 --speed 3",
    "at 3 times the log's full rate, which is 6 times their recorded rate",
  ],
  "`curve-fit` is not a warning if the curve follows the log": [
    WAVE,
    "info[curve-fit] --shape curve",
    "; 0.0% of the plan's requests are sent in minutes",
  ],
  "`curve-fit` does not warn about random variation in sparse traffic": [
    SPARSE,
    "info[curve-fit] --shape curve",
  ],
  "`not-modified` reports the share of responses with the status 304": [
    spaced(100, 1_000, (i) => ({ status: i < 41 ? 304 : 200 })),
    "info[not-modified]",
    "41.0% of the responses",
  ],
  "`query-kept` is not a warning if the kept query strings cover 90% of the requests": [
    queries(900),
    "info[query-kept] --query",
  ],
  "`query-kept` is a warning if the kept query strings cover less than 90% of the requests": [
    queries(3_000),
    "warning[query-kept] --query",
  ],
};

for (const [name, [lines, note, ...parts]] of Object.entries(NOTES)) {
  Deno.test(name, async () => {
    const [printed, ...options] = note.split(" ");
    const [level, code] = printed.split(/[[\]]/);
    const found = (await convert(lines, ...options)).notes.get(code)!;
    assertEquals(found.level, level);
    for (const part of parts) {
      if (typeof part === "string") assertStringIncludes(found.message, part);
      else assertMatch(found.message, part);
    }
  });
}

Deno.test("convert prints no notes about gaps or unusual times if limited to the period that `gaps` suggests", async () => {
  const { notes } = await convert(OUTLIER, ...PERIOD.split(" "));
  assertEquals([...notes.keys()].filter((code) => /gaps|odd/.test(code)), []);
});

for (const [count, bursts] of [[10, 2], [30, 2], [60, 3], [300, 6]] as const) {
  Deno.test(`\`gaps\` finds the gaps between ${bursts} bursts of ${count} requests`, async () => {
    const lines = Array.from({ length: bursts }, (_, i) => {
      const from = START + i * DAY + 3_600_000 * (i % 2);
      return steady(from, count + (i === 1 ? 1 : 0));
    }).flat();
    const { message } = (await convert(lines)).notes.get("gaps")!;
    assertStringIncludes(message, "100.0% of the requests are in ");
    assertStringIncludes(message, `(${bursts} periods)`);
    const advice = bursts === 2
      ? /--since 2026-11-02T01:00:00Z --until 2026-11-02T01:0[^ `]+/
      : /--busiest \d+s/;
    assertMatch(message, advice);
    // `--busiest` needs a file.
    const path = await Deno.makeTempFile({ suffix: ".log" });
    try {
      await Deno.writeTextFile(path, lines.join(""));
      const args = advice.exec(message)![0].split(" ");
      const { code, stderr } = await runCli(["convert", path, ...args]);
      assertEquals(code, 0, stderr);
      assert(!stderr.includes("warning[gaps]"), stderr);
    } finally {
      await Deno.remove(path);
    }
  });
}

for (
  const [name, lines] of [
    ["an even rate", steady(START, 2_000)],
    [
      "a few requests per hour, at random",
      spaced(400, 0, (i) => ({ at: START + 1_000_000 * i + jitter(i, 1_000) })),
    ],
    [
      "office hours",
      [0, 1, 2, 3, 4].flatMap((day) => spaced(2_880, 10_000, undefined, START + day * DAY)),
    ],
    [
      "a burst each minute",
      Array.from({ length: 60 }, (_, i) => steady(START + 60_000 * i, 10)).flat(),
    ],
    [
      "a few requests per day, at random",
      spaced(50, 0, (i) => ({ at: START + 30_000_000 * i + jitter(i, 30_000) })),
    ],
    [
      "a visit per hour",
      Array.from({ length: 20 }, (_, i) => steady(START + 3_600_000 * i, 10)).flat(),
    ],
    ["nine requests", [...steady(START, 5), ...steady(START + DAY, 4)]],
    ["two requests", spaced(2, DAY)],
  ] as const
) {
  Deno.test(`convert does not print the note \`gaps\` for a log with ${name}`, async () => {
    const { notes } = await convert(lines);
    assertEquals(notes.get("gaps"), undefined);
    assertEquals(notes.get("odd-times"), undefined);
  });
}

for (
  const [speed, duration, factor] of [["24", "1h", 1], ["60", "1h", 2.5], ["0.5", "2d", 1]] as const
) {
  for (const shape of [[], ["--shape", "curve"]]) {
    const options = ["--speed", speed, "--duration", duration, ...shape];
    Deno.test(`${options.join(" ")} reports the number of requests that the plan sends`, async () => {
      const lines = [...spaced(8_640, 10_000), logLine({ at: START + DAY - 1_000 })];
      const { notes, plan } = await convert(lines, ...options);
      const { message } = notes.get("duration-set")!;
      const sent = Number(/so it sends ([\d,]+) requests/.exec(message)![1].replaceAll(",", ""));
      assert(Math.abs(sent - 8_641 * factor) <= 1, message);
      assertStringIncludes(
        message,
        factor === 1 ? "as many as the log" : `${factor} times as many as the log`,
      );
      assertStringIncludes(plan, message);
    });
  }
}

Deno.test("with --rate kept, a plan requests the kept endpoints at their recorded rate", async () => {
  const { notes, plan } = await convert(LONG_TAIL, "--top", "2", "--rate", "kept");
  assertEquals(notes.get("long-tail")!.level, "info");
  assertStringIncludes(plan, "    rate: 5\n");
  assertStringIncludes(plan, "    pre_allocated_vus: 5\n");
  const all = await convert(LONG_TAIL, "--top", "all", "--rate", "kept");
  assertStringIncludes(all.plan, "    rate: 10\n");
});

Deno.test("convert prints a line about static assets after the summary", async () => {
  const lines = [
    ...steady(START, 1_500, (i) => ["/a", "/app.js", "/b.PNG?v=1", "/c"][i % 4]),
    logLine({ at: START + 1_200_000, method: "PUT", path: "/photo.png" }),
  ];
  const { stderr } = await runCli(["convert", "-", "--from", "accesslog"], {
    stdin: lines.join(""),
  });
  const [summary, , traffic, end] = stderr.split("\n").slice(-4);
  assertMatch(summary, /^1,501 requests over 20m/);
  assertEquals(traffic, "traffic: 50.0% static assets (exclude with `--no-static`)");
  assertEquals(end, "");
});

Deno.test("the description of a plan from one request uses the singular", async () => {
  const { plan } = await convert([logLine({ at: START })]);
  assertStringIncludes(
    plan,
    "Imported from an access log by rehearse convert: 1 request over 1 s,",
  );
});

Deno.test("the note `duration-set` states the number of requests that the plan sends", async () => {
  // 7.47 requests per second for 3 seconds: 22.4, of which the first is sent at once.
  const lines = spaced(747, 0, (i) => ({ at: START + Math.floor(i * 99_990 / 746) }));
  const { notes, plan } = await convert(lines, "--duration", "3s");
  assertStringIncludes(notes.get("duration-set")!.message, "so it sends 23 requests,");
  using folder = new CliFolder();
  folder.write("plan.yaml", plan);
  const { stdout } = await runCli(["inspect", `${folder.path}/plan.yaml`]);
  assertStringIncludes(stdout, "about 23, without redirects");
});

Deno.test("a plan with a constant rate sends as many requests as the log contains", async () => {
  // 1861 / 298844 rounds up to 0.00622733, which would send one request more.
  const at = (i: number) => START + 1_000 * Math.floor(i * 298_843 / 1_860);
  const lines = spaced(1_861, 0, (i) => ({ at: at(i) }));
  const { plan } = await convert(lines);
  const [, rate] = /^ +rate: (\S+)$/m.exec(plan)!;
  assertStringIncludes(plan, "duration: 298844s");
  assertEquals(Math.ceil(Number(rate) * 298_844), 1_861);
});

Deno.test("convert does not print the `traffic:` line if the log has no static assets", async () => {
  const { stderr } = await runCli(["convert", "-", "--from", "accesslog"], {
    stdin: steady(START, 1_000).join(""),
  });
  assertMatch(stderr, /\n1,000 requests over [^\n]*\nplan: [^\n]*\n$/);
});

Deno.test("convert reports replaced ids only if an endpoint of the plan contains one", async () => {
  const lines = steady(START, 40, (i) => i % 10 === 0 ? `/item/${i}` : "/");
  const kept = await convert(lines);
  assertStringIncludes(kept.notes.get("id-segments")!.message, "segments of 4 requests were");
  assertStringIncludes(kept.plan, 'variables:\n  id: "1"\n');
  const without = await convert(lines, "--top", "1");
  assertEquals(without.notes.has("id-segments"), false);
  assertEquals(without.plan.includes("variables:"), false);
});

Deno.test("convert states which share of the requests, URLs and visits the plan can send", async () => {
  // 60 requests to /, 30 to ten products, 10 to /find with five queries.
  const lines = spaced(100, 1_000, (i) => ({
    path: i < 60 ? "/" : i < 90 ? `/product/${i % 10}` : `/find?q=${i % 5}`,
  })).join("");
  const planned = async (...options: string[]) => {
    const { stderr } = await runCli(["convert", "-", ...options], { stdin: lines });
    return /^plan: .*$/m.exec(stderr)![0];
  };
  assertEquals(
    await planned("--top", "2"),
    "plan: can send 90.0% of the requests (`--top 3` covers 95%), 6.3% of the distinct URLs and " +
      "none of the visits (`--faithful` replays the log); 33.3% of its requests have a placeholder " +
      "instead of ids",
  );
  assertStringIncludes(await planned("--query"), "37.5% of the distinct URLs");
  using folder = new CliFolder();
  assertEquals(
    await planned("--faithful", "-o", `${folder.path}/plan.yaml`),
    "plan: can send 100.0% of the requests, 100.0% of the distinct URLs and 100.0% of the visits",
  );
});

Deno.test("`repeated-hour` warns only if the log contains the hour that occurs twice", async () => {
  const found = async (...times: string[]) => {
    const lines = times.map((time) => `2026-10-25T${time}:00 GET / 200\n`);
    const format = "$time_iso8601 $request_method $request_uri $status";
    const options = ["--log-format", format, "--time-zone", "Europe/Berlin"];
    return (await convert(lines, ...options)).notes.get("repeated-hour")?.message;
  };
  assertStringIncludes(
    (await found("01:50", "02:10", "02:20", "03:30"))!,
    "went back at 2026-10-25T01:00:00Z: 2 requests of two hours",
  );
  assertEquals(await found("01:50", "03:30"), undefined);
});

Deno.test("the VUs of a plan with another rate or duration follow the plan's highest rate", async () => {
  const vus = async (...options: string[]) =>
    /pre_allocated_vus: (\d+)/.exec((await convert(PEAK, ...options)).plan)![1];
  assertEquals(await vus(), "10");
  assertEquals(await vus("--speed", "50", "--duration", "2s"), "107");
  assertEquals(await vus("--squeeze", "10"), "22");
});

/** A log in which three of four requests were sent to shop.example. */
const HOSTS = steady(START, 400).map((line, i) =>
  `${i % 4 === 0 ? "api.example" : i % 8 === 1 ? "Shop.example:443" : "shop.example:80"} ${line}`
);

Deno.test("convert warns if the log contains requests to several hosts, and --host keeps only those to one host", async () => {
  const { notes, plan } = await convert(HOSTS);
  assertEquals(
    notes.get("several-hosts")!.message,
    "the log contains requests to 2 hosts: shop.example (75.0%), api.example (25.0%); the plan sends " +
      "all of them to one base URL, and treats the same path on several hosts as one endpoint: `--host shop.example` " +
      "keeps the requests to one host",
  );
  assertStringIncludes(notes.get("base-url")!.message, "the target is never taken from a log");
  // Plans from profiles, which do not contain hosts, must be the same.
  assertEquals(plan.includes("shop.example"), false);
  const one = await convert(HOSTS, "--host", "SHOP.example:443");
  assertEquals(one.notes.has("several-hosts"), false);
  assertStringIncludes(one.notes.get("filtered")!.message, "excluded 100 requests");
  const both = await convert(HOSTS, "--host", "shop.example,api.example", "--base-url", "http://h");
  assertEquals([both.notes.has("several-hosts"), both.notes.has("base-url")], [true, false]);
});

Deno.test("convert does not report hosts that occur in only a few requests", async () => {
  const rare = HOSTS.map((line, i) => i === 4 ? line : line.replace("api.", "shop."));
  assertEquals((await convert(rare)).notes.has("several-hosts"), false);
});

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
const EARLY_LINE = [
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
  await convert(EARLY_LINE);
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

Deno.test("rateText formats rates with thousands separators and without exponents", () => {
  const texts: [number, string][] = [
    [20_001, "20,001.00"],
    [1_234_567.891, "1,234,567.89"],
    [1, "1.00"],
    [0.9999, "1"],
    [0.03352, "0.0335"],
    [1e-7, "0.0000001"],
    [1.2345e-9, "0.00000000123"],
  ];
  for (const [rate, text] of texts) assertEquals(rateText(rate), text);
});
