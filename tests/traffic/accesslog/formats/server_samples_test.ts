import { assertEquals, assertLess } from "@std/assert";
import { LOGGED_SERVERS } from "../../../../scripts/samples/servers/logged_servers.ts";
import { detectFormat } from "../../../../src/traffic/accesslog/detect/detect_format.ts";
import { readRequests } from "../../../support/read_requests.ts";

const FOLDER = new URL("../../../../testdata/logs/samples/servers/", import.meta.url);

interface Sent {
  readonly time: number;
  readonly method: string;
  readonly target: string;
  readonly client: string;
  readonly status: number;
}

for (const name of Object.keys(LOGGED_SERVERS)) {
  Deno.test(`the log of ${name} contains the requests that the client sent`, () => {
    const log = Deno.readFileSync(new URL(`${name}.log`, FOLDER));
    const { sent } = JSON.parse(Deno.readTextFileSync(new URL(`${name}.json`, FOLDER)));
    const found = readRequests(log, detectFormat(log, undefined, true)!);
    assertEquals(
      found.map(({ request, status, client }) => ({ request, status, client })),
      (sent as Sent[]).map(({ method, target, status, client }) => ({
        request: `${method} ${target}`,
        status,
        client,
      })),
    );
    for (const [i, { ms }] of found.entries()) assertLess(Math.abs(ms - sent[i].time), 2_000);
  });
}
