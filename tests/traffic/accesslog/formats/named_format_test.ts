import { assert, assertEquals } from "@std/assert";
import {
  detectFormat,
  FORMAT_NAMES,
  resolveFormats,
} from "../../../../src/traffic/accesslog/formats/formats.ts";
import { FORMAT_SAMPLES } from "../../../support/format_samples.ts";

const encoder = new TextEncoder();

for (const [name, sample] of Object.entries(FORMAT_SAMPLES)) {
  Deno.test(`the sample line of ${name} matches the format and is enough to detect it`, () => {
    const line = encoder.encode(`${sample}\n`);
    assert(detectFormat(line, resolveFormats(name)) !== undefined);
    // Every line in the common format is also a line in the combined format.
    assertEquals(detectFormat(line)?.name, name === "common" ? "combined" : name);
  });
}

Deno.test("docs/recipes.md lists every named format", () => {
  const page = Deno.readTextFileSync(new URL("../../../../docs/recipes.md", import.meta.url));
  const table = page.slice(page.indexOf("| format  "), page.indexOf("For any other format"));
  assertEquals(Array.from(table.matchAll(/^\| `([\w-]+)`/gm), ([, name]) => name), FORMAT_NAMES);
});
