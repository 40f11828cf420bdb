import { assertEquals, assertRejects } from "@std/assert";
import fc from "fast-check";
import { InputError } from "../../../src/base/errors.ts";
import { readHar } from "../../../src/traffic/har/read_har.ts";
import type { Recording } from "../../../src/traffic/har/recording.ts";
import { assertSurvivesDamage, cuts } from "../../properties/har_fuzz.ts";
import { type HarFile, harFiles } from "../../support/har_files.ts";
import { referenceEntries } from "../../oracles/har_reference.ts";
import { chunked } from "../../builders/mutate.ts";

const OWN = ["shapes", "real", "labelled"].flatMap((folder) => harFiles(`testdata/har/${folder}`));

Deno.test("readHar and the reference implementation read the project's recordings equally", async () => {
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

Deno.test("readHar returns the same recording however the input is chunked", async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...OWN), cuts, async ({ name, bytes }, cuts) => {
      assertEquals(
        comparable(await readHar(chunked(bytes, cuts), name)),
        comparable(await readHar([bytes], name)),
      );
    }),
    { numRuns: 150 },
  );
});

Deno.test("readHar returns the same recording for chunks of one byte", async () => {
  for (const { name, bytes } of harFiles("testdata/har/shapes")) {
    const bytewise = Array.from(bytes, (byte) => Uint8Array.of(byte));
    assertEquals(
      comparable(await readHar(bytewise, name)),
      comparable(await readHar([bytes], name)),
      name,
    );
  }
});

/**
 * Copies a recording with response texts as plain properties, because `assertEquals` does not
 * compare getters.
 */
function comparable({ exchanges, ...rest }: Recording): unknown {
  const texts = exchanges.map(({ response }) => response.text);
  return { ...rest, exchanges: JSON.parse(JSON.stringify(exchanges)), texts };
}

Deno.test("readHar returns a recording or an error with a position for a damaged HAR", async () => {
  const small = ["shapes", "real"].flatMap((folder) => harFiles(`testdata/har/${folder}`));
  await assertSurvivesDamage(small, { numRuns: 600 });
});

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

Deno.test("readHar reads bodies of any length, notation and media type as JSON.parse does", async () => {
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
    { numRuns: 200 },
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
