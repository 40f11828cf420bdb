import { assert, assertEquals, assertRejects } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { ByteSource } from "../../../src/base/bytes/byte_source.ts";
import { openBytes } from "../../../src/base/bytes/open_bytes.ts";
import { InputError } from "../../../src/base/errors.ts";
import { COMBINED, resolveFormats } from "../../../src/traffic/accesslog/formats/formats.ts";
import {
  parseProfile,
  serializeProfile,
} from "../../../src/traffic/accesslog/profile/parse_profile.ts";
import { TrafficProfile } from "../../../src/traffic/accesslog/profile/traffic_profile.ts";
import type { LogFormat } from "../../../src/traffic/accesslog/read/log_format.ts";
import {
  readAccessLogs,
  type ReadProgress,
} from "../../../src/traffic/accesslog/read_access_logs.ts";
import { type LogUse, readSliced, SLICE_BYTES } from "../../../src/traffic/accesslog/slices.ts";
import { makeLog } from "../../../scripts/make_log.ts";
import { referenceProfile } from "../../oracles/accesslog_reference.ts";
import { sharedFiles } from "../../support/shared_data.ts";
import { TempFolder } from "../../support/temp_folder.ts";
import { FORMAT_SAMPLES } from "../../support/format_samples.ts";

const stdin = () => new ReadableStream<Uint8Array>();
const BUNDLED = new URL("../../../testdata/logs/apache_combined_10k.log", import.meta.url);

async function read(...paths: (string | URL)[]): Promise<TrafficProfile> {
  const sources: ByteSource[] = [];
  for (const path of paths) {
    sources.push(await openBytes(path instanceof URL ? fromFileUrl(path) : path, stdin));
  }
  return await readAccessLogs(sources.map((source) => ({ source })));
}

const COUNT_ONLY: LogUse = { filters: [], collectors: [] };

/** Returns options for `readSliced` with `threads` threads. */
function slicedReading(
  threads: number,
  format: LogFormat = COMBINED,
  report: () => void = () => {},
) {
  const thread = new URL("../../../src/traffic/accesslog/worker.ts", import.meta.url);
  return { use: COUNT_ONLY, format, thread, threads, report };
}

async function withFile(bytes: Uint8Array, use: (path: string) => Promise<void>): Promise<void> {
  const path = await Deno.makeTempFile({ suffix: ".log" });
  try {
    await Deno.writeFile(path, bytes);
    await use(path);
  } finally {
    await Deno.remove(path);
  }
}

for (const url of [BUNDLED, ...sharedFiles("logs")]) {
  Deno.test(`readAccessLogs builds the same profile as the reference parser for ${url.pathname.split("/").at(-1)}`, async () => {
    const found = JSON.parse(serializeProfile(await read(url)));
    assertEquals(JSON.stringify(found), JSON.stringify(referenceProfile(Deno.readFileSync(url))));
    assert(found.requests > 5_000);
  });
}

Deno.test("readAccessLogs reports the log and the line number of a malformed line in one of several logs", async () => {
  const good = 'h - - [02/Mar/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 1';
  const encoder = new TextEncoder();
  await withFile(encoder.encode(`${good}\n${good}`), async (first) => {
    await withFile(encoder.encode(`${good}\nno\n`), async (second) => {
      const profile = await read(first, second);
      assertEquals([profile.requests, profile.malformed, profile.lines], [3, 1, 4]);
      const { place } = profile.firstMalformed!;
      assertEquals(place, {
        source: second,
        offset: good.length + 1,
        line: 2,
        column: 1,
        snippet: "no",
      });
    });
  });
});

Deno.test("readAccessLogs names the format of the first malformed line, and a profile keeps it", async () => {
  const { combined, gcp } = FORMAT_SAMPLES;
  const handshake = combined.replace(/"GET[^"]*"/, '"\\x16\\x03"');
  const lines = [combined, handshake, combined, gcp, combined];
  await withFile(new TextEncoder().encode(lines.join("\n")), async (path) => {
    const profile = await read(path);
    const formats = (from: TrafficProfile) =>
      from.malformedSamples().map(({ reason, format }) => [reason, format]);
    const expected = [["bad-request", undefined], ["no-timestamp", "gcp"]];
    assertEquals(formats(profile), expected);
    assertEquals(formats(parseProfile(serializeProfile(profile), "p").profile), expected);
  });
});

Deno.test("readAccessLogs builds the same profile with one thread and with several", async () => {
  const chunks = [...makeLog({ bytes: 20_000_000, seed: 5, uniquePaths: 20_000 })];
  const log = new Uint8Array(await new Blob(chunks as BlobPart[]).arrayBuffer());
  // The first malformed line is in a later slice, so that its line number depends on earlier
  // slices.
  for (let i = 0; i < 18_000_000; i++) if (log[i] === 0x5c) log[i] = 0x78;
  await withFile(log, async (path) => {
    const whole = serializeProfile(await read(path));
    for (const threads of [1, 2, 3]) {
      const profile = new TrafficProfile();
      profile.beginSource(path);
      await readSliced(await openBytes(path, stdin), profile, slicedReading(threads));
      assertEquals(serializeProfile(profile) === whole, true);
    }
  });
});

Deno.test("readSliced builds the same profile from a JSON log with one thread and with several", async () => {
  const [format] = resolveFormats("traefik");
  const lines = Array.from({ length: 90_000 }, (_, i) =>
    JSON.stringify({
      ClientHost: "10.0.0.1",
      DownstreamStatus: 200,
      RequestMethod: i % 7 === 0 ? "POST" : "GET",
      RequestPath: `/shop/${i % 900}/${i % 11 === 0 ? "\u00e9" : "view"}?a=${i}`,
      StartUTC: new Date(1_795_255_200_000 + i * 100).toISOString(),
      "request_User-Agent": "Mozilla/5.0 (X11; Linux x86_64) ".repeat(2),
    }));
  const log = new TextEncoder().encode(lines.join("\n"));
  assert(log.length > 2 * SLICE_BYTES);
  await withFile(log, async (path) => {
    const source = await openBytes(path, stdin);
    const whole = serializeProfile(
      await readAccessLogs([{ source, format: () => Promise.resolve(format) }], {
        threads: 1,
      }),
    );
    assertEquals(JSON.parse(whole).requests, 90_000);
    for (const threads of [1, 2]) {
      const profile = new TrafficProfile();
      profile.beginSource(path);
      const source = await openBytes(path, stdin);
      await readSliced(source, profile, slicedReading(threads, format));
      assertEquals(serializeProfile(profile) === whole, true);
    }
  });
});

Deno.test("readSliced reads a file without line endings and a file that contains only blank lines", async () => {
  for (const log of [new Uint8Array(17 << 20).fill(0x78), new Uint8Array(17 << 20).fill(0x0a)]) {
    await withFile(log, async (path) => {
      const profile = new TrafficProfile();
      profile.beginSource(path);
      await readSliced(await openBytes(path, stdin), profile, slicedReading(2));
      assertEquals(serializeProfile(profile), serializeProfile(await read(path)));
    });
  }
});

Deno.test({
  name: "readSliced reports an error if the file shrinks, is replaced or is moved",
  ignore: Deno.build.os === "windows", // which cannot truncate or move an open file
  fn: async () => {
    const log = new Uint8Array(20 << 20).fill(0x0a);
    const faults: [damage: (path: string) => void, reason: string][] = [
      [
        (path) => Deno.truncateSync(path, 9 << 20),
        "it shrank while it was being read: it had 20971520 bytes",
      ],
      [
        (path) => Deno.truncateSync(path, 0),
        "it shrank while it was being read: it had 20971520 bytes",
      ],
      [replace, "another file replaced it"],
      [(path) => Deno.renameSync(path, `${path}.1`), "it was moved or deleted"],
    ];
    using temp = new TempFolder();
    const folder = temp.path;
    for (const threads of [1, 2]) {
      for (const [damage, reason] of faults) {
        const path = `${folder}/access.log`;
        await Deno.writeFile(path, log);
        using source = await openBytes(path, stdin);
        damage(path);
        const profile = new TrafficProfile();
        await assertRejects(
          async () => await readSliced(source, profile, slicedReading(threads)),
          InputError,
          `cannot read ${path}: ${reason}`,
        );
      }
    }
  },
});

Deno.test("readSliced reports an error if the file is truncated after the first slice is read", async () => {
  await withFile(new Uint8Array(20 << 20).fill(0x0a), async (path) => {
    const profile = new TrafficProfile();
    const cut = () => Deno.truncateSync(path, 9 << 20);
    const source = await openBytes(path, stdin);
    await assertRejects(
      async () => await readSliced(source, profile, slicedReading(1, COMBINED, cut)),
      InputError,
      "it shrank while it was being read: it had 20971520 bytes",
    );
  });
});

function replace(path: string): void {
  Deno.copyFileSync(path, `${path}.new`);
  Deno.renameSync(`${path}.new`, path);
}

Deno.test("readAccessLogs reports the total size only if the size of every input is known", async () => {
  const seen: ReadProgress[] = [];
  const source = await openBytes(fromFileUrl(BUNDLED), stdin);
  await readAccessLogs([{ source }], { onProgress: (progress) => seen.push(progress) });
  const size = Deno.statSync(BUNDLED).size;
  assert(seen.length > 0 && seen.every(({ done, total }) => done <= size && total === size));
  const stream = await openBytes("-", () => new Blob(["x\n"]).stream());
  await readAccessLogs([{ source: stream }], {
    onProgress: ({ total }) => assertEquals(total, undefined),
  });
});

Deno.test("readAccessLogs reports an error for a truncated compressed log", async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(10);
    throw new Error("it is cut off");
  }
  const source = new ByteSource({ name: "x.gz" }, broken(), () => 10, () => {});
  await assertRejects(
    () => readAccessLogs([{ source }]),
    InputError,
    "cannot read x.gz: it is cut off",
  );
});
