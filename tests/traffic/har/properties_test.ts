import { assert, assertEquals, assertRejects } from "@std/assert";
import fc from "fast-check";
import { InputError } from "../../../src/base/errors.ts";
import { readHar } from "../../../src/traffic/har/read_har.ts";
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
        await readHar(chunked(bytes, cuts), name),
        await readHar([bytes], name),
      );
    }),
  );
});

Deno.test("readHar returns the same recording for a HAR that arrives one byte at a time", async () => {
  for (const { name, bytes } of harFiles("testdata/har/shapes")) {
    const bytewise = Array.from(bytes, (byte) => Uint8Array.of(byte));
    assertEquals(
      await readHar(bytewise, name),
      await readHar([bytes], name),
      name,
    );
  }
});

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
      ...['"', "\\", "/", "\n", "é", "’", "😀", "\ud800", "\ufeff", "text", '"text":', "a"],
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
  for (const [broken, at] of [["\\x", 1], ["\\u12b", 5], ["\n", 0]] as const) {
    for (const mimeType of ["image/png", "application/json"]) {
      const content = `{"mimeType":"${mimeType}","text":"${"a".repeat(900)}${broken}"}`;
      const har = '{"log":{"entries":[{"request":{"method":"GET","url":"https://a.example/"},' +
        `"response":{"content":${content}}}]}}`;
      const error = await assertRejects(
        () => readHar([new TextEncoder().encode(har)], "session.har"),
        InputError,
      );
      assertEquals(error.place.offset, har.indexOf(broken) + at);
    }
  }
});
