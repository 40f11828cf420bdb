import { assertEquals } from "@std/assert";
import { SAMPLE_REQUESTS } from "../../../../scripts/samples/sample.ts";
import { WRITERS } from "../../../../scripts/samples/writers.ts";
import { detectFormat } from "../../../../src/traffic/accesslog/detect/detect_format.ts";
import { resolveFormats } from "../../../../src/traffic/accesslog/detect/resolve_formats.ts";
import { FORMAT_NAMES } from "../../../../src/traffic/accesslog/formats/formats.ts";
import { readRequests } from "../../../support/read_requests.ts";

const FOLDER = new URL("../../../../testdata/logs/samples/", import.meta.url);

for (const [name, { option, lacks = [] }] of Object.entries(WRITERS)) {
  const how = option === undefined ? "detects its format" : `with --log-format '${option}'`;
  Deno.test(`the requests in samples/${name}.log are read as they were sent: ${how}`, () => {
    const log = Deno.readFileSync(new URL(`${name}.log`, FOLDER));
    const format = detectFormat(log, option === undefined ? undefined : resolveFormats(option));
    const found = format === undefined ? [] : readRequests(log, format);
    assertEquals(
      found.map(({ ms, request, status, client }) => ({
        second: Math.floor(ms / 1_000),
        request,
        status,
        client,
      })),
      SAMPLE_REQUESTS.map(({ time, method, target, status, client }) => ({
        second: time / 1_000,
        request: `${method} ${target}`,
        status: lacks.includes("status") ? 0 : status,
        client: lacks.includes("client") ? undefined : client,
      })),
    );
  });
}

Deno.test("every named format has a sample log", () => {
  const found = Object.keys(WRITERS).map((name) =>
    detectFormat(Deno.readFileSync(new URL(`${name}.log`, FOLDER)))?.name
  );
  // Lines in the common format are also lines in the combined format.
  const missing = FORMAT_NAMES.filter((name) => !found.includes(name) && name !== "common");
  assertEquals(missing, []);
});
