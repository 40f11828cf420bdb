import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { runCli } from "../../support/cli.ts";
import { logLine } from "../../builders/log_line.ts";

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

/**
 * Returns the log lines of `count` requests, 100 ms apart, starting at `from` (Unix milliseconds).
 */
function steady(from: number, count: number, path = (i: number) => `/p${i % 3}`): string[] {
  return Array.from({ length: count }, (_, i) => logLine({ at: from + 100 * i, path: path(i) }));
}

Deno.test("if the log has an outlier, `gaps` suggests a period without it", async () => {
  const lines = [...steady(START, 6_000), logLine({ at: 5_000 })];
  const { notes } = await convert(lines);
  const gaps = notes.get("gaps")!;
  assertEquals(gaps.level, "warning");
  assertStringIncludes(gaps.message, "99.9% of the requests are in 10m of the log's 20758d");
  assertStringIncludes(gaps.message, "10.00 req/s");
  assertStringIncludes(
    gaps.message,
    "--since 2026-11-01T00:00:00Z --until 2026-11-01T00:10:00Z",
  );
  assertMatch(notes.get("odd-times")!.message, /^1 request is dated before 1990 /);
});

Deno.test("if the `gaps` note reports the busy period, the `traffic:` line does not report idle time", async () => {
  const log = [...steady(START, 6_000), logLine({ at: 5_000 })].join("");
  const { stderr } = await runCli(["convert", "-"], { stdin: log });
  assertStringIncludes(stderr, "warning[gaps]");
  assertEquals(stderr.includes("idle"), false);
});

Deno.test("convert prints no notes about gaps or unusual times if limited to the period that `gaps` suggests", async () => {
  const lines = [...steady(START, 6_000), logLine({ at: 5_000 })];
  const { notes } = await convert(
    lines,
    "--since",
    "2026-11-01T00:00:00Z",
    "--until",
    "2026-11-01T00:10:00Z",
  );
  assertEquals([...notes.keys()].filter((code) => /gaps|odd/.test(code)), []);
});

Deno.test("`gaps` suggests the busier of two short periods a week apart", async () => {
  const lines = [...steady(START, 6_000), ...steady(START + 7 * DAY, 9_000)];
  const { notes } = await convert(lines);
  const { message } = notes.get("gaps")!;
  assertStringIncludes(message, "100.0% of the requests are in 25m of the log's 7d (2 periods)");
  assertStringIncludes(message, "10.00 req/s");
  assertStringIncludes(
    message,
    "`--since 2026-11-08T00:00:00Z --until 2026-11-08T00:15:00Z` keeps the busiest period, with 60.0%",
  );
});

Deno.test("the `gaps` warning suggests `--busiest` if no period contains half of the requests", async () => {
  const lines = [0, 7, 14].flatMap((day) => steady(START + day * DAY, 6_000));
  const { message } = (await convert(lines)).notes.get("gaps")!;
  assertStringIncludes(
    message,
    "has only 33.3% of the requests; `--busiest 10m` keeps the busiest 10m",
  );
  assert(!message.includes("--since"), message);
});

Deno.test("the `gaps` warning suggests at most the length of the busiest period for `--busiest`", async () => {
  const lines = Array.from({ length: 48 }, (_, hour) => steady(START + hour * 3_600_000, 600))
    .flat();
  const { message } = (await convert(lines)).notes.get("gaps")!;
  assertStringIncludes(message, "; `--busiest 1m` keeps the busiest 1m");
});

Deno.test("`gaps` finds gaps in a log that also has an outlier", async () => {
  const lines = [
    logLine({ at: 5_000 }),
    ...steady(START, 6_000),
    ...steady(START + 7 * DAY, 9_000),
  ];
  const { message } = (await convert(lines)).notes.get("gaps")!;
  assertStringIncludes(message, "--since 2026-11-08T00:00:00Z --until 2026-11-08T00:15:00Z");
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
      Array.from({ length: 400 }, (_, i) => {
        const at = START + 1_000_000 * i + 1_000 * ((i * 7_919) % 1_000);
        return logLine({ at });
      }),
    ],
    [
      "office hours",
      Array.from({ length: 5 }, (_, day) => {
        const hours = Array.from(
          { length: 2_880 },
          (_, i) => logLine({ at: START + day * DAY + i * 10_000 }),
        );
        return hours;
      }).flat(),
    ],
    [
      "a burst each minute",
      Array.from({ length: 60 }, (_, i) => steady(START + 60_000 * i, 10)).flat(),
    ],
    [
      "a few requests per day, at random",
      Array.from(
        { length: 60 },
        (_, i) => logLine({ at: START + 30_000_000 * i + 1_000 * ((i * 7_919) % 30_000) }),
      ).slice(0, 50),
    ],
    [
      "a visit per hour",
      Array.from({ length: 20 }, (_, i) => steady(START + 3_600_000 * i, 10)).flat(),
    ],
    ["nine requests", [...steady(START, 5), ...steady(START + DAY, 4)]],
    ["two requests", [logLine({ at: START }), logLine({ at: START + DAY })]],
  ] as const
) {
  Deno.test(`convert does not print the note \`gaps\` for a log with ${name}`, async () => {
    const { notes } = await convert(lines);
    assertEquals(notes.get("gaps"), undefined);
    assertEquals(notes.get("odd-times"), undefined);
  });
}

Deno.test("`odd-times` warns about requests dated in the future", async () => {
  const lines = [...steady(START, 20), logLine({ at: Date.UTC(2026, 11, 1, 1) })];
  const { message, level } = (await convert(lines)).notes.get("odd-times")!;
  assertEquals(level, "warning");
  assertMatch(message, /^1 request is dated in the future /);
  assertStringIncludes(message, "2026-12-01T01:00:00Z");
});

Deno.test("`average-rate` suggests an option only if the peak exceeds the average", async () => {
  const even = await convert([logLine({ at: START }), logLine({ at: START + 1_000 })]);
  assertEquals(
    even.notes.get("average-rate")!.message,
    "the rate is the log's average of 1.00 req/s, which is also the peak",
  );
  const uneven = await convert([logLine({ at: START }), logLine({ at: START + 2_000 })]);
  assertStringIncludes(uneven.notes.get("average-rate")!.message, "; the peak is 1 req/s (use");
});

for (
  const [speed, duration, factor] of [["24", "1h", 1], ["60", "1h", 2.5], ["0.5", "2d", 1]] as const
) {
  for (const shape of [[], ["--shape", "curve"]]) {
    const options = ["--speed", speed, "--duration", duration, ...shape];
    Deno.test(`${options.join(" ")} reports the number of requests that the plan sends`, async () => {
      const lines = Array.from({ length: 8_640 }, (_, i) => logLine({ at: START + 10_000 * i }));
      lines.push(logLine({ at: START + DAY - 1_000 }));
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

Deno.test("`long-tail` reports the rate of the kept endpoints as a multiple of their recorded rate", async () => {
  // The two kept endpoints have 500 of the 1,000 requests.
  const path = (i: number) => i % 2 === 0 ? `/top${i % 4}` : `/rare-${i}x`;
  const lines = steady(START, 1_000, path);
  const full = await convert(lines, "--top", "2");
  const { level, message } = full.notes.get("long-tail")!;
  assertEquals(level, "warning");
  assertStringIncludes(message, "50.0% of the requests");
  assertStringIncludes(message, "at the log's full rate, which is 2 times their recorded rate");
  assertStringIncludes(full.plan, "    rate: 10\n");
  const fast = await convert(lines, "--top", "2", "--speed", "3");
  assertStringIncludes(
    fast.notes.get("long-tail")!.message,
    "at 3 times the log's full rate, which is 6 times their recorded rate",
  );
});

Deno.test("with --rate kept, a plan requests the kept endpoints at their recorded rate", async () => {
  const path = (i: number) => i % 2 === 0 ? `/top${i % 4}` : `/rare-${i}x`;
  const lines = steady(START, 1_000, path);
  const { notes, plan } = await convert(lines, "--top", "2", "--rate", "kept");
  assertEquals(notes.get("long-tail")!.level, "info");
  assertStringIncludes(plan, "    rate: 5\n");
  assertStringIncludes(plan, "    pre_allocated_vus: 5\n");
  const all = await convert(lines, "--top", "all", "--rate", "kept");
  assertStringIncludes(all.plan, "    rate: 10\n");
});

/** Returns log lines with a one-minute burst of requests every hour. */
function bursts(): string[] {
  return Array.from({ length: 48 }, (_, hour) => steady(START + hour * 3_600_000, 600)).flat();
}

Deno.test("`curve-fit` is a warning if the curve smooths out bursts", async () => {
  const { notes } = await convert(bursts(), "--shape", "curve", "--stages", "10");
  const { level, message } = notes.get("curve-fit")!;
  assertEquals(level, "warning");
  assertMatch(message, /cumulative requests deviate by at most [\d.]+% of the total/);
  const share = Number(
    /; ([\d.]+)% of the plan's requests are sent in (?:minutes|periods)/.exec(message)![1],
  );
  assert(share > 90, message);
});

Deno.test("`curve-fit` is not a warning if the curve follows the log", async () => {
  const rate = (t: number) => 20 + Math.round(15 * Math.sin(t / 600));
  const lines = Array.from(
    { length: 3_600 },
    (_, t) => logLine({ at: START + 1_000 * t }).repeat(rate(t)),
  );
  const { level, message } = (await convert(lines, "--shape", "curve")).notes.get("curve-fit")!;
  assertEquals(level, "info");
  assertStringIncludes(message, "; 0.0% of the plan's requests are sent in minutes");
});

Deno.test("`curve-fit` does not warn about random variation in sparse traffic", async () => {
  // One request every 200 s on average, at a random time, so that a minute has at most one.
  const lines = Array.from(
    { length: 2_000 },
    (_, i) => logLine({ at: START + 200_000 * i + 1_000 * ((i * 7_919) % 200) }),
  );
  const { level } = (await convert(lines, "--shape", "curve")).notes.get("curve-fit")!;
  assertEquals(level, "info");
});

Deno.test("convert prints a line about static assets and idle time after the summary", async () => {
  const lines = [
    ...steady(START, 1_500, (i) => ["/a", "/app.js", "/b.PNG?v=1", "/c"][i % 4]),
    logLine({ at: START + 1_200_000, method: "PUT", path: "/photo.png" }),
  ];
  const { stderr } = await runCli(["convert", "-", "--from", "accesslog"], {
    stdin: lines.join(""),
  });
  const [summary, , traffic, end] = stderr.split("\n").slice(-4);
  assertMatch(summary, /^1,501 requests over 20m/);
  assertEquals(
    traffic,
    "traffic: 50.0% static assets (exclude with `--no-static`), 81.0% of the minutes had no requests (exclude with `--since`, `--until`)",
  );
  assertEquals(end, "");
});

Deno.test("the `traffic:` line reports idle periods instead of idle minutes if requests are rare", async () => {
  // 40 requests in the first and the last minutes of an hour: a mean of ten requests per period of
  // 16 minutes.
  const lines = [0, 3_220_000].flatMap((from) =>
    Array.from({ length: 20 }, (_, i) => logLine({ at: START + from + 20_000 * i }))
  );
  const { stderr } = await runCli(["convert", "-", "--from", "accesslog"], {
    stdin: lines.join(""),
  });
  assertStringIncludes(stderr, "traffic: 50.0% of the periods of 16m had no requests (exclude");
});

Deno.test("the `traffic:` line suggests `--shape curve` if the idle minutes are scattered", async () => {
  // Every third minute is empty.
  const lines = [0, 1, 3, 4, 6, 7, 9, 10, 12].flatMap((minute) =>
    Array.from({ length: 30 }, (_, i) => logLine({ at: START + 60_000 * minute + 2_000 * i }))
  );
  const { stderr } = await runCli(["convert", "-", "--from", "accesslog"], {
    stdin: lines.join(""),
  });
  assertStringIncludes(
    stderr,
    "traffic: 30.8% of the minutes, scattered over the log, had no requests (follow the rate with `--shape curve`)",
  );
});

Deno.test("the `traffic:` line omits scattered idle minutes if the plan follows the log's rate", async () => {
  // Every third minute is empty.
  const lines = [0, 1, 3, 4, 6, 7, 9, 10, 12].flatMap((minute) =>
    Array.from({ length: 30 }, (_, i) => logLine({ at: START + 60_000 * minute + 2_000 * i }))
  );
  const { stderr } = await runCli(["convert", "-", "--from", "accesslog", "--shape"], {
    stdin: lines.join(""),
  });
  assertStringIncludes(stderr, "[curve-fit]");
  assert(!stderr.includes("traffic:"), stderr);
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
  const lines = Array.from(
    { length: 747 },
    (_, i) => logLine({ at: START + Math.floor(i * 99_990 / 746) }),
  );
  const { notes, plan } = await convert(lines, "--duration", "3s");
  assertStringIncludes(notes.get("duration-set")!.message, "so it sends 23 requests,");
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/plan.yaml`, plan);
    const { stdout } = await runCli(["inspect", `${folder}/plan.yaml`]);
    assertStringIncludes(stdout, "about 23, without redirects");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a plan with a constant rate sends as many requests as the log contains", async () => {
  // 1861 / 298844 rounds up to 0.00622733, which would send one request more.
  const lines = Array.from(
    { length: 1_861 },
    (_, i) => logLine({ at: START + 1_000 * Math.floor(i * 298_843 / 1_860) }),
  );
  const { plan } = await convert(lines);
  const [, rate] = /^ +rate: (\S+)$/m.exec(plan)!;
  assertStringIncludes(plan, "duration: 298844s");
  assertEquals(Math.ceil(Number(rate) * 298_844), 1_861);
});

Deno.test("convert rejects a `--since` that is not before `--until`", async () => {
  for (const since of ["2026-11-21T20:05:00Z", "2026-11-21T20:01:00Z"]) {
    const { code, stderr } = await runCli(
      ["convert", "-", "--since", since, "--until", "2026-11-21T20:01:00Z"],
      { stdin: logLine({ at: START }) },
    );
    assertEquals(code, 2);
    assertStringIncludes(
      stderr,
      `--since ${since} must be before --until 2026-11-21T20:01:00Z`,
    );
  }
});

Deno.test("convert does not print the `traffic:` line if the log has neither static assets nor idle time", async () => {
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

Deno.test("the description of a plan shows the average rate with two decimals", async () => {
  const { plan } = await convert([0, 1, 2, 3].map((i) => logLine({ at: START + i * 2_000 })));
  assertStringIncludes(plan, "average 0.57 req/s, peak 1 req/s.");
});

Deno.test("`average-rate` is a warning if the log's peak is more than twice the plan's rate", async () => {
  const calm = steady(START, 100);
  const burst = Array.from({ length: 9 }, () => logLine({ at: START + 50_000 }));
  assertEquals((await convert(calm)).notes.get("average-rate")!.level, "info");
  const note = (await convert([...calm, ...burst])).notes.get("average-rate")!;
  assertEquals(note.level, "warning");
  assertStringIncludes(note.message, "`--shape exact` replays the log's own bursts");
  const twice = (await convert([...calm, ...burst], "--speed", "2")).notes.get("average-rate")!;
  assertStringIncludes(twice.message, "2 times the log's peak is 20.00 req/s");
});

Deno.test("convert states which share of the requests, URLs and visits the plan can send", async () => {
  // 60 requests to /, 30 to ten products, 10 to /find with five queries.
  const lines = Array.from({ length: 100 }, (_, i) =>
    logLine({
      at: START + 1_000 * i,
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
  const folder = await Deno.makeTempDir();
  try {
    assertEquals(
      await planned("--faithful", "-o", `${folder}/plan.yaml`),
      "plan: can send 100.0% of the requests, 100.0% of the distinct URLs and 100.0% of the visits",
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
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

Deno.test("`not-modified` reports the share of responses with the status 304", async () => {
  const lines = Array.from(
    { length: 100 },
    (_, i) => logLine({ at: START + 1_000 * i, status: i < 41 ? 304 : 200 }),
  );
  const { notes, plan } = await convert(lines);
  assertStringIncludes(notes.get("not-modified")!.message, "41.0% of the responses");
  assertEquals(plan.includes("304"), false);
});

Deno.test("`query-kept` is a warning if the kept query strings cover less than 90% of the requests", async () => {
  const level = async (distinct: number) => {
    const lines = Array.from(
      { length: 3_000 },
      (_, i) => logLine({ at: START + 100 * i, path: `/find?q=${i % distinct}` }),
    );
    return (await convert(lines, "--query")).notes.get("query-kept")!.level;
  };
  assertEquals([await level(900), await level(3_000)], ["info", "warning"]);
});

Deno.test("the VUs of a plan with another rate or duration follow the plan's highest rate", async () => {
  const burst = Array.from({ length: 9 }, () => logLine({ at: START + 50_000 }));
  const lines = [...steady(START, 100), ...burst];
  const vus = async (...options: string[]) =>
    /pre_allocated_vus: (\d+)/.exec((await convert(lines, ...options)).plan)![1];
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

Deno.test("convert --host rejects values that are not hosts, and logs without hosts", async () => {
  const run = (lines: readonly string[], host: string) =>
    runCli(["convert", "-", "--host", host], { stdin: lines.join("") });
  const invalid = await run(HOSTS, "https://shop.example/");
  assertEquals(invalid.code, 2);
  assertStringIncludes(invalid.stderr, "expected a host name, such as shop.example");
  const none = await run(steady(START, 40), "shop.example");
  assertEquals(none.code, 1);
  assertStringIncludes(none.stderr, "--host excluded 40");
});
