import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { RepeatedContent } from "../../../src/cli/input/repeated_content.ts";
import { logLine } from "../../builders/log_line.ts";
import { runCli } from "../../support/cli.ts";

const START = Date.UTC(2026, 10, 1);

/** Returns `count` log lines with one request per second. */
function lines(count: number, from = 0): string[] {
  return Array.from(
    { length: count },
    (_, i) => logLine({ at: START + 1_000 * (from + i), path: `/${(from + i) % 7}` }),
  );
}

async function gzip(text: string): Promise<Uint8Array> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Converts the files and returns the `same-content` warnings, with file names instead of paths. */
async function warnings(
  files: Readonly<Record<string, string | Uint8Array>>,
  ...options: string[]
): Promise<string[]> {
  const folder = await Deno.makeTempDir();
  try {
    const paths: string[] = [];
    for (const [name, content] of Object.entries(files)) {
      paths.push(join(folder, name));
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
      await Deno.writeFile(paths.at(-1)!, bytes);
    }
    const { stderr } = await runCli(["convert", ...paths, ...options], { now: START + 1e9 });
    return stderr.replaceAll(`${folder}/`, "").split("\n")
      .filter((line) => line.includes("same-content"));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

for (const count of [1, 20, 5_000]) {
  const log = lines(count).join("");

  Deno.test(`convert warns about a compressed copy of a log with ${count} lines`, async () => {
    const [warning, ...others] = await warnings({
      "a.log": log,
      "b.log": lines(count, 9_000).join(""),
      "a.log.gz": await gzip(log),
    });
    assertStringIncludes(warning, "warning[same-content] a.log.gz: it is a copy of ");
    assertStringIncludes(warning, "of `a.log`");
    assertStringIncludes(warning, "count twice");
    assertEquals(others, []);
  });
}

Deno.test("convert warns if one log is the beginning of another, regardless of their order", async () => {
  const all = lines(3_000);
  for (const kept of [50, 2_000]) {
    const [short, long] = [all.slice(0, kept).join(""), all.join("")];
    for (const files of [{ "a.log": short, "b.log": long }, { "a.log": long, "b.log": short }]) {
      const [warning] = await warnings(files);
      assertStringIncludes(warning, "warning[same-content] b.log: it starts with the same lines ");
      assertStringIncludes(warning, "as `a.log`");
    }
  }
});

Deno.test("convert warns about a copy of a log with different line endings", async () => {
  const log = lines(2_000).join("");
  const crlf = log.replaceAll("\n", "\r\n");
  for (const files of [{ "a.log": log, "b.log": crlf }, { "a.log": crlf, "b.log": log }]) {
    const [warning] = await warnings(files);
    assertStringIncludes(warning, "warning[same-content] b.log: it is a copy of ");
  }
  const [part] = await warnings({ "a.log": log, "b.log": crlf.slice(0, crlf.length >> 1) });
  assertStringIncludes(part, "b.log: it starts with the same lines ");
});

/**
 * Functions that create the lines `from` to `to` of a log, keyed by test name. The logs differ in
 * format, line order or request rate.
 */
const LONG: Readonly<Record<string, (from: number, to: number) => string>> = {
  "combined": (from, to) => lines(to - from, from).join(""),
  "combined with CRLF": (from, to) => lines(to - from, from).join("").replaceAll("\n", "\r\n"),
  "Apache, in the order in which the requests ended": (from, to) =>
    lines(to - from, from).map((_, i) =>
      logLine({ at: START + 1_000 * (from + i - (from + i) % 2), path: `/${from + i}` })
    ).join(""),
  "with thousands of requests per second": (from, to) =>
    lines(to - from, from).map((_, i) =>
      logLine({ at: START + Math.floor((from + i) / 5_000) * 1_000, path: `/${from + i}` })
    ).join(""),
  "W3C": (from, to) =>
    "#Version: 1.0\n#Fields: date time c-ip cs-method cs-uri-stem sc-status\n" +
    Array.from({ length: to - from }, (_, i) => {
      const time = new Date(START + 1_000 * (from + i)).toISOString();
      return `${time.slice(0, 10)} ${time.slice(11, 19)} 10.0.0.1 GET /${(from + i) % 7} 200\n`;
    }).join(""),
};

for (const [name, write] of Object.entries(LONG)) {
  Deno.test(`convert warns if a log starts with lines from the middle of another log: ${name}`, async () => {
    const long = write(0, 20_000);
    for (const [from, to] of [[7, 900], [12_345, 12_360], [15_000, 20_000], [19_980, 25_000]]) {
      const part = write(from, to);
      const [warning, ...others] = await warnings({ "a.log": long, "b.log": part });
      assertStringIncludes(
        warning,
        "warning[same-content] b.log: its first lines also occur in `a.log`",
      );
      assertEquals(others, []);
      const [earlier] = await warnings({ "b.log": part, "a.log": long });
      assertStringIncludes(
        earlier,
        "warning[same-content] b.log: its first lines also occur in `a.log`",
      );
    }
    const [packed] = await warnings({ "a.log": long, "b.log.gz": await gzip(write(9_000, 9_999)) });
    assertStringIncludes(
      packed,
      "warning[same-content] b.log.gz: its first lines also occur in `a.log`",
    );
  });
}

Deno.test("convert accepts logs of the same period that have different lines", async () => {
  const other = lines(9_000).map((line) => line.replace("10.0.0.", "10.9.9."));
  const some = lines(20_000);
  assertEquals(await warnings({ "a.log": some.join(""), "b.log": other.slice(50).join("") }), []);
  // Nine common lines are too few.
  const few = [...some.slice(5_000, 5_009), ...other.slice(5_009)].join("");
  assertEquals(await warnings({ "a.log": some.join(""), "b.log": few }), []);
  // Equal lines do not show that a log contains another one, as after a load test of two servers.
  const equal = Array.from(
    { length: 9_000 },
    (_, i) => logLine({ at: START + Math.floor(i / 900) * 1_000, path: "/" }),
  );
  assertEquals(
    await warnings({ "a.log": equal.join(""), "b.log": equal.slice(900, 8_000).join("") }),
    [],
  );
  const rotated = [some.slice(0, 9_000), some.slice(9_000)].map((part) => part.join(""));
  assertEquals(await warnings({ "a.log": rotated[0], "b.log": rotated[1] }), []);
});

Deno.test("RepeatedContent finds copies of a log among thousands of inputs", () => {
  const repeated = new RepeatedContent();
  const heads = Array.from(
    { length: 3_000 },
    (_, i) => new TextEncoder().encode(lines(40, 40 * i).join("")),
  );
  let offset = 0;
  const add = (name: string, head: Uint8Array) => {
    repeated.add({ name }, head, { bytes: offset, lines: 0 });
    offset += head.length;
  };
  heads.forEach((head, i) => add(`${i}`, head));
  for (const i of [7, 2_007]) add(`copy of ${i}`, heads[i]);
  assertEquals(
    repeated.notes({ bytes: offset, lines: 0 }).map(({ subject, message }) =>
      `${subject}: ${message}`
    ),
    [7, 2_007].map((i) =>
      `copy of ${i}: it is a copy of \`${i}\`, so its requests count twice; pass only one of them`
    ),
  );
});

Deno.test("convert warns about a copy of a traffic profile", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const [log, profile] = [join(folder, "a.log"), join(folder, "a.json")];
    await Deno.writeTextFile(log, lines(20).join(""));
    await runCli(["convert", log, "--profile", profile]);
    const text = await Deno.readTextFile(profile);
    const [warning] = await warnings({ "a.json": text, "b.json": text });
    assertStringIncludes(warning, "warning[same-content] b.json");
    await Deno.writeTextFile(log, lines(20, 1).join(""));
    await runCli(["convert", log, "--profile", profile]);
    const next = await Deno.readTextFile(profile);
    assertEquals(await warnings({ "a.json": text, "b.json": next }), []);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("convert accepts logs that share only a header, one line, or nothing", async () => {
  const header = "#Version: 1.0\n#Fields: date time c-ip cs-method cs-uri-stem sc-status\n";
  const row = (second: number) => `2026-11-01 10:00:0${second} 10.0.0.1 GET / 200\n`;
  assertEquals(
    await warnings({
      "empty.log": header,
      "a.log": header + row(1) + row(2),
      "b.log": header + row(3) + row(4),
    }),
    [],
  );
  const [first, ...others] = lines(20);
  assertEquals(await warnings({ "a.log": first, "b.log": first + others.join("") }), []);
  const [a, b] = [lines(20), lines(20)];
  b[10] = b[10].replace("GET", "PUT");
  assertEquals(await warnings({ "a.log": a.join(""), "b.log": b.join("") }), []);
  assertEquals(await warnings({ "a.log": a.join(""), "b.log": "", "c.log": "" }), []);
});

Deno.test("`--strict` fails if a log was given twice", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const [a, b] = [join(folder, "a.log"), join(folder, "b.log")];
    for (const path of [a, b]) await Deno.writeTextFile(path, logLine({ at: START }).repeat(9));
    const args = ["convert", a, b, "--strict", "--base-url", "http://127.0.0.1"];
    const { code, stderr } = await runCli(args, { now: START + 1e9 });
    assertEquals([code, stderr.match(/^warning\[[\w-]+\]/gm)], [3, [
      "warning[same-content]",
    ]]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
