import { assert, assertEquals } from "@std/assert";
import { convertHar } from "../../../src/convert/from_har.ts";
import {
  listRequests,
  recordedEntries,
  recordedEntry,
} from "../../../src/plan/kinds/list_requests.ts";
import { readHar } from "../../../src/traffic/har/read_har.ts";
import { hasMessages } from "../../../src/traffic/har/socket_messages.ts";
import { keptCalls } from "../../../src/traffic/session/kept_calls.ts";
import { harFiles } from "../../support/har_files.ts";
import { runWith } from "./replay_recorded.ts";

for (const folder of ["labelled", "real", "shapes"]) {
  Deno.test(`a converted plan sends each recorded call exactly once, in order, in ${folder}`, async () => {
    for (const { name, bytes } of harFiles(`testdata/har/${folder}`)) {
      const recording = await readHar([bytes], name);
      const { plan } = convertHar(recording, {});
      const byEntry = new Map(
        recording.exchanges.map(({ index, response }) => [index + 1, response]),
      );
      const { sent } = await runWith(plan, (entry) => byEntry.get(entry));
      const requests = [...listRequests(plan.scenarios.recorded.flow)];
      const entriesOf = new Map(requests.map((one) => [recordedEntry(one), recordedEntries(one)]));
      const entries = sent.flatMap(({ request: { recorded } }) =>
        recorded === undefined ? [] : entriesOf.get(recorded) ?? [recorded]
      );
      const { exchanges: calls, dropped } = keptCalls(recording.exchanges);
      const sockets = (dropped.get("WebSocket") ?? []).filter(hasMessages);
      const exchanges = [...calls, ...sockets].sort((a, b) => a.startedAt - b.startedAt);
      assertEquals(entries, exchanges.map(({ index }) => index + 1), name);
      // A request that follows a redirect has no entry, and must not repeat a recorded call.
      const urls = new Set(exchanges.map(({ request }) => new URL(request.url).href));
      for (const { request, target } of sent) {
        const { origin: { secure, authority }, recorded } = request;
        const url = `http${secure ? "s" : ""}://${authority}${target}`;
        assert(recorded !== undefined || !urls.has(url), `${name}: ${url} is repeated`);
      }
    }
  });
}
