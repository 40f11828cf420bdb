import { assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { openAtomicFile } from "../../src/base/atomic_file.ts";
import { openBytes } from "../../src/base/bytes/open_bytes.ts";
import { InputError, OutputError, RunError } from "../../src/base/errors.ts";
import { mayStartThread, startThread } from "../../src/base/start_thread.ts";
import { TempFolder } from "../support/temp_folder.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

function withFolder(test: (folder: string) => void): () => void {
  return () => {
    using temp = new TempFolder();
    const folder = temp.path;
    test(folder);
  };
}

const names = (folder: string) => [...Deno.readDirSync(folder)].map(({ name }) => name).sort();

Deno.test(
  "openAtomicFile creates the file only on commit and leaves no temporary file",
  withFolder((folder) => {
    const path = join(folder, "plan.yaml");
    const file = openAtomicFile(path);
    file.write(bytes("a: "));
    file.write(bytes("1\n"));
    assertEquals(names(folder).includes("plan.yaml"), false);
    file.commit();
    assertEquals(Deno.readTextFileSync(path), "a: 1\n");
    assertEquals(names(folder), ["plan.yaml"]);
  }),
);

Deno.test(
  "openAtomicFile does not create a temporary file before the first write",
  withFolder((folder) => {
    const path = join(folder, "plan.yaml");
    const file = openAtomicFile(path);
    assertEquals(names(folder), []);
    file.commit();
    assertEquals(Deno.readTextFileSync(path), "");
    file.discard();
    assertEquals(names(folder), ["plan.yaml"]);
  }),
);

Deno.test(
  "`discard` keeps the existing file",
  withFolder((folder) => {
    const path = join(folder, "plan.yaml");
    Deno.writeTextFileSync(path, "old");
    const file = openAtomicFile(path);
    file.write(bytes("new"));
    file.discard();
    assertEquals(Deno.readTextFileSync(path), "old");
    assertEquals(names(folder), ["plan.yaml"]);
  }),
);

Deno.test(
  "openAtomicFile follows a symbolic link and keeps the file's mode",
  withFolder((folder) => {
    const target = join(folder, "real.yaml");
    const link = join(folder, "link.yaml");
    Deno.writeTextFileSync(target, "old", { mode: 0o640 });
    Deno.symlinkSync(target, link);
    const file = openAtomicFile(link);
    file.write(bytes("new"));
    file.commit();
    assertEquals(Deno.readTextFileSync(target), "new");
    assertEquals(Deno.lstatSync(link).isSymlink, true);
    assertEquals(Deno.statSync(target).mode! & 0o777, 0o640);
  }),
);

Deno.test(
  "openAtomicFile follows symbolic links to a missing file",
  withFolder((folder) => {
    Deno.mkdirSync(join(folder, "plans"));
    Deno.symlinkSync("plans/second.yaml", join(folder, "first.yaml"));
    Deno.symlinkSync("new.yaml", join(folder, "plans", "second.yaml"));
    const file = openAtomicFile(join(folder, "first.yaml"));
    file.write(bytes("new"));
    file.commit();
    assertEquals(Deno.readTextFileSync(join(folder, "plans", "new.yaml")), "new");
    assertEquals(Deno.lstatSync(join(folder, "first.yaml")).isSymlink, true);
    assertEquals(names(join(folder, "plans")), ["new.yaml", "second.yaml"]);
  }),
);

Deno.test(
  "openAtomicFile rejects circular symbolic links",
  withFolder((folder) => {
    const link = join(folder, "link.yaml");
    Deno.symlinkSync(link, link);
    assertThrows(() => openAtomicFile(link), OutputError, `cannot write ${link}: `);
    assertEquals(names(folder), ["link.yaml"]);
  }),
);

Deno.test(
  "openAtomicFile succeeds if a killed process left a temporary file",
  withFolder((folder) => {
    const path = join(folder, "plan.yaml");
    const killed = openAtomicFile(path); // like another process with the same id
    killed.write(bytes("half"));
    const file = openAtomicFile(path);
    file.write(bytes("new"));
    file.commit();
    assertEquals(Deno.readTextFileSync(path), "new");
    killed.discard();
    assertEquals(names(folder), ["plan.yaml"]);
  }),
);

Deno.test({
  name: "openAtomicFile writes to a device directly",
  ignore: Deno.build.os === "windows",
  fn: () => {
    const file = openAtomicFile("/dev/null");
    file.write(bytes("x"));
    file.commit();
    assertEquals(Deno.statSync("/dev/null").isFile, false);
  },
});

Deno.test(
  "openAtomicFile rejects a path that cannot be written",
  withFolder((folder) => {
    assertThrows(() => openAtomicFile(folder), OutputError, "it is a directory");
    assertThrows(
      () => openAtomicFile(join(folder, "none", "x")),
      OutputError,
      "folder does not exist",
    );
  }),
);

const TEXT = Array.from({ length: 40_000 }, (_, i) => `line ${i} ${i * 7919 % 1_000_003}\n`).join(
  "",
);
/** Text for chunks of a few bytes, which take long. */
const SHORT = TEXT.slice(0, 10_000);
const ZERO = new Uint8Array(1_000);

/** Returns a stream of the bytes in chunks of `step` bytes. */
function pipe(bytes: Uint8Array, step = bytes.length): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller): void {
      if (at >= bytes.length) controller.close();
      else controller.enqueue(bytes.slice(at, at += step));
    },
  });
}

async function content(bytes: Uint8Array, step?: number): Promise<string> {
  const source = await openBytes("-", () => pipe(bytes, step));
  return new TextDecoder().decode(await source.bytes());
}

function concat(...parts: Uint8Array[]): Uint8Array {
  const joined: number[] = [];
  for (const part of parts) for (const byte of part) joined.push(byte);
  return Uint8Array.from(joined);
}

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  return bytes.map((byte, i) => i === at ? byte ^ 0x55 : byte);
}

const halves = [TEXT.slice(0, 300_001), TEXT.slice(300_001)];
const zstd = (text: string, params?: Record<number, number>) => zstdCompressSync(text, { params });
const skippable = concat(Uint8Array.of(0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0), Uint8Array.of(1, 2, 3));
const gzip = {
  name: "gzip",
  short: gzipSync(SHORT),
  one: gzipSync(TEXT),
  two: concat(...halves.map((text) => gzipSync(text))),
};
const CHECKSUM = 201;
const zst = {
  name: "zstd",
  short: zstd(SHORT, { [CHECKSUM]: 1 }),
  one: zstd(TEXT, { [CHECKSUM]: 1 }),
  two: concat(...halves.map((text) => zstd(text, { [CHECKSUM]: 1 }))),
};

for (const { name, short, one, two } of [gzip, zst]) {
  Deno.test(`openBytes decompresses a ${name} file of one or more parts, regardless of the chunk size`, async () => {
    for (const step of [1, 7]) {
      assertEquals(await content(short, step) === SHORT, true);
      assertEquals(await content(concat(short, short), step) === SHORT + SHORT, true);
    }
    for (const step of [1_000, undefined]) {
      assertEquals(await content(one, step) === TEXT, true);
      assertEquals(await content(two, step) === TEXT, true);
    }
  });

  Deno.test(`openBytes rejects a truncated ${name} file`, async () => {
    for (const stored of [one, two]) {
      for (const left of [3, 5, 100, stored.length >> 2, stored.length - 9, stored.length - 1]) {
        // Three bytes are too few to detect zstd, so they are plain text.
        if (name === "zstd" && left === 3) continue;
        const cut = stored.slice(0, left);
        for (const step of [undefined, 65_536]) {
          await assertRejects(() => content(cut, step), InputError, "it is truncated");
        }
      }
    }
  });

  Deno.test(`openBytes rejects a ${name} file that is damaged or followed by other data`, async () => {
    await assertRejects(() => content(flipped(one, one.length - 2)), InputError, "it is damaged");
    await assertRejects(() => content(flipped(one, one.length >> 1)), InputError);
    for (const step of [undefined, one.length]) {
      const trailing = concat(two, new TextEncoder().encode("trailing"));
      await assertRejects(() => content(trailing, step), InputError, "follow");
    }
  });

  Deno.test(`openBytes decompresses an empty ${name} file`, async () => {
    const compress = name === "gzip" ? gzipSync : zstdCompressSync;
    assertEquals(await content(compress("")), "");
  });
}

Deno.test("openBytes accepts zero padding only after the last gzip member", async () => {
  assertEquals(await content(concat(gzip.two, ZERO)) === TEXT, true);
  assertEquals(await content(concat(gzip.two, ZERO), 100) === TEXT, true);
  const hidden = concat(gzip.one, ZERO, gzip.one);
  await assertRejects(
    () => content(hidden),
    InputError,
    "unexpected data after the end of the gzip stream",
  );
  for (const step of [100, gzip.one.length]) {
    const found = () => content(hidden, step);
    await assertRejects(found, InputError, "unexpected data after the end of the gzip stream");
  }
});

Deno.test("openBytes ignores skippable zstd frames", async () => {
  const { short } = zst;
  const stored = concat(skippable, short, skippable, skippable, short, short, skippable);
  for (const step of [2, 3, undefined]) {
    assertEquals(await content(stored, step) === SHORT.repeat(3), true);
  }
  await assertRejects(
    () => content(concat(zst.one, skippable.slice(0, 9))),
    InputError,
    "truncated",
  );
  assertEquals(await content(skippable), "");
});

Deno.test("ByteSource also yields bytes that were peeked at", async () => {
  for (const stored of [new TextEncoder().encode(SHORT), gzip.short, zst.short]) {
    const source = await openBytes("-", () => pipe(stored, 10));
    assertEquals(new TextDecoder().decode(await source.peek(20)), SHORT.slice(0, 20));
    assertEquals((await source.peek(400)).length, 400);
    assertEquals(new TextDecoder().decode(await source.bytes()) === SHORT, true);
  }
  const short = await openBytes("-", () => pipe(new TextEncoder().encode("abc")));
  assertEquals((await short.peek(20)).length, 3);
  assertEquals((await short.bytes()).length, 3);
});

Deno.test("ByteSource sets slicePath only for an uncompressed regular file", async () => {
  const stored = new TextEncoder().encode(TEXT);
  for (const [bytes, isPlain] of [[stored, true], [gzip.one, false], [zst.one, false]] as const) {
    await withFile(bytes, async (path) => {
      const source = await openBytes(path, unused);
      assertEquals([source.name, source.size], [path, bytes.length]);
      assertEquals(source.slicePath, isPlain ? path : undefined);
      assertEquals((await source.bytes()).length, stored.length);
      assertEquals(source.stored, bytes.length);
    });
  }
});

Deno.test("ByteSource rejects a file that is truncated while it is being read, but not one that is renamed", async () => {
  const log = new TextEncoder().encode(TEXT.repeat(10));
  await withFile(log, async (path) => {
    const cut = await openBytes(path, unused);
    await Deno.truncate(path, 0);
    await assertRejects(() => cut.bytes(), InputError, "while it was being read");
  });
  await withFile(log, async (path) => {
    const source = await openBytes(path, unused);
    await Deno.rename(path, `${path}.1`);
    await Deno.writeTextFile(path, "the next log");
    assertEquals((await source.bytes()).length, log.length);
    await Deno.remove(`${path}.1`);
  });
});

Deno.test("a disposed ByteSource closes an input that was not read to the end", async () => {
  await withFile(gzip.one, async (path) => {
    using source = await openBytes(path, unused);
    await source.peek(10);
  });
});

Deno.test("openBytes rejects a directory and a missing file", async () => {
  using folder = new TempFolder();
  const fails = (path: string, message: string) =>
    assertRejects(() => openBytes(path, unused), InputError, message);
  await fails(folder.path, "it is a directory, not a file");
  await fails(`${folder.path}/none.log`, "there is no such file");
});

Deno.test("openBytes reports the flag that grants a missing permission", {
  permissions: { read: false },
}, async () => {
  await assertRejects(
    () => openBytes("some.log", unused),
    InputError,
    "permission is missing; add `--allow-read=some.log` to `deno run`",
  );
});

function unused(): ReadableStream<Uint8Array> {
  throw new Error("standard input must not be opened");
}

async function withFile(
  bytes: Uint8Array,
  use: (path: string) => Promise<void>,
): Promise<void> {
  const path = await Deno.makeTempFile();
  try {
    await Deno.writeFile(path, bytes);
    await use(path);
  } finally {
    await Deno.remove(path);
  }
}

const MISSING = new URL("./no_such_worker.ts", import.meta.url);

Deno.test("startThread starts a thread from the text of its module", async () => {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const worker = startThread("sum", "self.onmessage = ({ data }) => postMessage(data + 1)", reject);
  worker.onmessage = ({ data }) => resolve(data);
  worker.postMessage(1);
  assertEquals(await promise, 2);
  worker.terminate();
});

for (
  const [reason, module, message] of [
    ["is missing", MISSING, /^the sum thread failed: /],
    ["has a syntax error", "let = ;", /^the sum thread failed: SyntaxError/],
    ["throws", "throw new Error('out of luck')", /^the sum thread failed: .*out of luck/],
  ] as const
) {
  Deno.test(`startThread reports an error if the module ${reason}`, async () => {
    const { promise, resolve } = Promise.withResolvers<RunError>();
    startThread("sum", module, resolve);
    const error = await promise;
    assertMatch(error.message, message);
    assertMatch(error.message, /install it again/);
  });
}

Deno.test("startThread states the flag to add if a checkout may not read its modules", () => {
  const { querySync } = Deno.permissions;
  Deno.permissions.querySync = () => ({ state: "denied" }) as Deno.PermissionStatus;
  try {
    assertEquals([mayStartThread(MISSING), mayStartThread("text")], [false, true]);
    const error = assertThrows(() => startThread("sum", MISSING, () => {}), RunError);
    assertMatch(error.message, /add `--allow-read=\S+\/src` to `deno run`$/);
  } finally {
    Deno.permissions.querySync = querySync;
  }
});
