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

Deno.test("RepeatedContent finds copies of a log among thousands of inputs", () => {
  const repeated = new RepeatedContent();
  const heads = Array.from(
    { length: 3_000 },
    (_, i) => new TextEncoder().encode(lines(40, 40 * i).join("")),
  );
  let offset = 0;
  const add = (name: string, head: Uint8Array) => {
    repeated.add(name, head, offset);
    offset += head.length;
  };
  heads.forEach((head, i) => add(`${i}`, head));
  for (const i of [7, 2_007]) add(`copy of ${i}`, heads[i]);
  assertEquals(
    repeated.notes(offset).map(({ subject, message }) => `${subject}: ${message}`),
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
