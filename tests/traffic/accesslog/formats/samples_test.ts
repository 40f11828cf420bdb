import { assertEquals, assertLess } from "@std/assert";
import {
  detectFormat,
  FORMAT_NAMES,
  resolveFormats,
} from "../../../../src/traffic/accesslog/formats/formats.ts";
import { readRequests } from "../../../support/read_requests.ts";

/** A request as its sender recorded it. `time` is in Unix milliseconds. */
interface Sent {
  readonly time: number;
  readonly method: string;
  readonly target: string;
  readonly client: string;
  readonly status: number;
}

interface Samples {
  readonly sent: readonly Sent[];
  /** The logs that need a `--log-format` to be read, or that lack a field. */
  readonly special: Readonly<Record<string, { option?: string; lacks?: readonly string[] }>>;
}

const FOLDER = new URL("../../../../testdata/logs/samples/", import.meta.url);
const { sent, special }: Samples = JSON.parse(
  Deno.readTextFileSync(new URL("samples.json", FOLDER)),
);
const written = logsIn(FOLDER);

function logsIn(folder: URL): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name)
    .filter((name) => name.endsWith(".log")).map((name) => name.slice(0, -4)).sort();
}

for (const name of written) {
  const { option, lacks = [] } = special[name] ?? {};
  const how = option === undefined ? "detects its format" : `with --log-format '${option}'`;
  Deno.test(`the requests in samples/${name}.log are read as they were sent: ${how}`, () => {
    const log = Deno.readFileSync(new URL(`${name}.log`, FOLDER));
    if (option !== undefined) assertEquals(detectFormat(log), undefined);
    const format = detectFormat(log, option === undefined ? undefined : resolveFormats(option));
    assertEquals(
      readRequests(log, format!).map(({ ms, request, status, client }) => ({
        second: Math.floor(ms / 1_000),
        request,
        status,
        client,
      })),
      sent.map(({ time, method, target, status, client }) => ({
        second: time / 1_000,
        request: `${method} ${target}`,
        status: lacks.includes("status") ? 0 : status,
        client: lacks.includes("client") ? undefined : client,
      })),
    );
  });
}

Deno.test("every named format has a sample log", () => {
  const found = written.map((name) =>
    detectFormat(Deno.readFileSync(new URL(`${name}.log`, FOLDER)))?.name
  );
  // Lines in the common format are also lines in the combined format.
  const missing = FORMAT_NAMES.filter((name) => !found.includes(name) && name !== "common");
  assertEquals(missing, []);
});

const SERVERS = new URL("servers/", FOLDER);
for (const name of logsIn(SERVERS)) {
  Deno.test(`the log of ${name} contains the requests that the client sent`, () => {
    const log = Deno.readFileSync(new URL(`${name}.log`, SERVERS));
    const { sent }: { sent: Sent[] } = JSON.parse(
      Deno.readTextFileSync(new URL(`${name}.json`, SERVERS)),
    );
    const found = readRequests(log, detectFormat(log, undefined, true)!);
    assertEquals(
      found.map(({ request, status, client }) => ({ request, status, client })),
      sent.map(({ method, target, status, client }) => ({
        request: `${method} ${target}`,
        status,
        client,
      })),
    );
    for (const [i, { ms }] of found.entries()) assertLess(Math.abs(ms - sent[i].time), 2_000);
  });
}
