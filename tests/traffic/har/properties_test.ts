import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import fc from "fast-check";
import { FileRanges } from "../../../src/base/bytes/file_ranges.ts";
import { InputError } from "../../../src/base/errors.ts";
import { readHar } from "../../../src/traffic/har/read_har.ts";
import type { Recording } from "../../../src/traffic/har/recording.ts";
import { type HarFile, harFiles } from "../../support/har_files.ts";
import { referenceEntries } from "../../oracles/har_reference.ts";
import { chunked, cuts, damage, damages } from "../../builders/mutate.ts";

const OWN = ["shapes", "real", "labelled"].flatMap((folder) => harFiles(`testdata/har/${folder}`));

Deno.test("readHar reads the project's recordings in the same way as the reference implementation", async () => {
  for (const file of OWN) await readsAsReference(file);
});

async function readsAsReference({ name, bytes }: HarFile): Promise<void> {
  const { exchanges } = await readHar([bytes], name);
  const found = exchanges.map(({ index, request: { method, url }, response: { status } }) => (
    { index, method, url: name === "h2k6_query.har" ? url.split("?")[0] : url, status }
  ));
  // The target of CONNECT is a host, which the reference does not accept as a URL.
  const withUrl = found.filter(({ url }) => URL.canParse(url));
  assertEquals(withUrl, referenceEntries(bytes), name);
}

Deno.test("readHar returns the same recording regardless of how the input is chunked", async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...OWN), cuts, async ({ name, bytes }, cuts) => {
      assertEquals(
        comparable(await readHar(chunked(bytes, cuts), name)),
        comparable(await readHar([bytes], name)),
      );
    }),
  );
});

Deno.test("readHar returns the same recording for a HAR that arrives one byte at a time", async () => {
  for (const { name, bytes } of harFiles("testdata/har/shapes")) {
    const bytewise = Array.from(bytes, (byte) => Uint8Array.of(byte));
    assertEquals(
      comparable(await readHar(bytewise, name)),
      comparable(await readHar([bytes], name)),
      name,
    );
  }
});

/** Returns a HAR with one response for each of `texts`. */
function harWithBodies(texts: readonly string[]): Uint8Array {
  const entries = texts.map((text, i) => ({
    startedDateTime: new Date(1_700_000_000_000 + i).toISOString(),
    request: { method: "GET", url: `https://a.example/${i}` },
    response: { status: 200, content: { mimeType: i % 2 === 0 ? "text/html" : "", text } },
  }));
  return new TextEncoder().encode(JSON.stringify({ log: { entries } }, null, 1));
}

/**
 * Checks that the range of each body contains the body's text. Returns the recording without the
 * ranges.
 */
function withoutRanges(recording: Recording, bytes: Uint8Array): Recording {
  const exchanges = recording.exchanges.map((exchange) => {
    const { range: position, ...members } = Object.getOwnPropertyDescriptors(exchange.response);
    if (position === undefined) return exchange;
    const { offset, length } = exchange.response.range!;
    const json = new TextDecoder().decode(bytes.subarray(offset, offset + length));
    assertEquals(JSON.parse(json), exchange.response.text);
    // Copies the getters, because the views that they return are valid only until the next read.
    return { ...exchange, response: Object.create(Object.prototype, members) };
  });
  return { ...recording, exchanges };
}

Deno.test("readHar returns the same recording if it reads bodies from the file when they are needed", async () => {
  const path = Deno.makeTempFileSync();
  const unit = fc.constantFrom("ab", "é", "😀", '"', "\\", "\n", "\u0001", "/", "\ud800", "\ufeff");
  const texts = fc.tuple(fc.string({ unit, maxLength: 8 }), fc.constantFrom(1, 60, 600, 10_000))
    .map(([text, times]) => text.repeat(times));
  try {
    const check = async (bytes: Uint8Array, name: string) => {
      Deno.writeFileSync(path, bytes);
      using file = new FileRanges(path);
      const recording = await readHar([bytes], name, file);
      const inMemory = comparable(await readHar([bytes], name));
      assertEquals(comparable(withoutRanges(recording, bytes)), inMemory, name);
    };
    for (const { name, bytes } of OWN) await check(bytes, name);
    await fc.assert(
      fc.asyncProperty(
        fc.array(texts, { maxLength: 6 }),
        (texts) => check(harWithBodies(texts), "generated"),
      ),
    );
  } finally {
    Deno.removeSync(path);
  }
});

Deno.test("a recording reports a file that changed before a body was read from it", async () => {
  const path = Deno.makeTempFileSync();
  // The long body separates the others: one read of the file does not include both.
  const bytes = harWithBodies(["first", "y".repeat(100_000), "x".repeat(1_001)]);
  try {
    for (const changed of [bytes.subarray(0, 50), bytes.map((b) => b === 0x78 ? 0x5c : b)]) {
      Deno.writeFileSync(path, bytes);
      using file = new FileRanges(path);
      const { exchanges: [, , { response }] } = await readHar([bytes], "session.har", file);
      Deno.writeFileSync(path, changed);
      assertThrows(() => response.text, InputError, "it changed while it was being read");
      assertThrows(() => response.utf8, InputError, "it changed while it was being read");
    }
  } finally {
    Deno.removeSync(path);
  }
});

/**
 * Copies a recording with response strings as plain properties, because `assertEquals` does not
 * compare getters.
 */
function comparable({ exchanges, ...rest }: Recording): unknown {
  const texts = exchanges.map(({ response }) => response.text);
  return { ...rest, exchanges: JSON.parse(JSON.stringify(exchanges)), texts };
}

Deno.test("readHar rejects a damaged HAR, with a position, if and only if `JSON.parse` does not read it as a HAR", async () => {
  const small = new Map(
    OWN.filter(({ bytes }) => bytes.length < 100_000).map(({ name, bytes }) => [name, bytes]),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...small.keys()),
      damages,
      cuts,
      async (name, damages, cuts) => {
        const bytes = damage(small.get(name)!, damages);
        const outcome = await readHar(chunked(bytes, cuts), "x").catch((error) => error);
        if (outcome instanceof InputError) {
          const { offset = -1, line = 0, column = 0 } = outcome.place;
          assert(offset >= 0 && offset <= bytes.length && line > 0 && column > 0, outcome.message);
        } else if (outcome instanceof Error) throw outcome;
        assertEquals(outcome instanceof InputError, !isHar(bytes));
      },
    ),
  );
});

function isHar(bytes: Uint8Array): boolean {
  try {
    return Array.isArray(JSON.parse(new TextDecoder().decode(bytes)).log.entries);
  } catch {
    return false;
  }
}

const bodyTexts = fc.tuple(
  fc.array(
    fc.constantFrom(
      '"',
      "\\",
      "/",
      "\n",
      "é",
      "’",
      "😀",
      "\ud800",
      "\ufeff",
      "text",
      '"text":',
      "a",
    ),
  ),
  fc.constantFrom(0, 500, 512, 600, 2 ** 15),
).map(([pieces, length]) => pieces.join("") + "-".repeat(length));

Deno.test("readHar returns the original text of text bodies, for any length, media type and encoding", async () => {
  const contents = fc.record({
    text: bodyTexts,
    mimeType: fc.constantFrom("text/html", "application/json", "image/png", "text/css"),
    isBase64: fc.boolean(),
  });
  // A plan cannot send a lone surrogate.
  const postedTexts = bodyTexts.filter((text) => text.isWellFormed());
  await fc.assert(
    fc.asyncProperty(contents, postedTexts, fc.nat(2), async (content, posted, indent) => {
      const { text, mimeType, isBase64 } = content;
      const encoding = isBase64 && { encoding: "base64" };
      const recorded = isBase64 ? new TextEncoder().encode(text).toBase64() : text;
      const har = JSON.stringify(
        {
          log: {
            entries: [{
              request: {
                method: "POST",
                url: "https://a.example/",
                postData: { mimeType: "text/plain", text: posted },
              },
              response: { status: 200, content: { mimeType, text: recorded, ...encoding } },
            }],
          },
        },
        null,
        indent,
      ).replaceAll("/", "\\/");
      const { exchanges: [{ request, response }] } = await readHar(
        [new TextEncoder().encode(har)],
        "session.har",
      );
      const sent = request.body?.kind === "text" ? request.body.text : "";
      assertEquals(sent, posted);
      const isBinary = isBase64 && mimeType === "image/png";
      const utf8 = new TextDecoder("utf-8").decode(new TextEncoder().encode(text));
      assertEquals(response.text, isBinary ? undefined : isBase64 ? utf8 : text);
    }),
  );
});

Deno.test("readHar rejects an invalid long body, even one that it would not keep", async () => {
  for (const broken of ["\\x", "\\u12", "\n"]) {
    for (const mimeType of ["image/png", "application/json"]) {
      const content = `{"mimeType":"${mimeType}","text":"${"a".repeat(900)}${broken}b"}`;
      const har = '{"log":{"entries":[{"request":{"method":"GET","url":"https://a.example/"},' +
        `"response":{"content":${content}}}]}}`;
      const error = await assertRejects(
        () => readHar([new TextEncoder().encode(har)], "session.har"),
        InputError,
      );
      assertEquals(error.place.offset, har.indexOf(broken));
    }
  }
});
