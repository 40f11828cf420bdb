import { assertEquals } from "@std/assert";
import { networkSender } from "../../src/http/network_session.ts";
import { newResponse } from "../../src/http/sender.ts";
import { faultyServers, pauseBetweenRequests } from "../support/faulty_servers.ts";
import { disposable, testOptions, testRequest } from "../support/http_client.ts";
import { wireServer } from "../support/wire_server.ts";

const LIMITS = { headers: 100_000, body: 200_000 };
const TIMEOUT_MS = 500;

for (const [name, { version, results, script }] of Object.entries(faultyServers())) {
  Deno.test(`faulty server: ${name}`, async () => {
    await using server = wireServer(script);
    using sender = disposable(networkSender(testOptions({ version, limits: LIMITS })));
    const session = sender.open();
    const found: string[] = [];
    for (const path of ["/0", "/1"]) {
      const url = `http://127.0.0.1:${server.port}${path}`;
      const response = newResponse();
      await session.send(testRequest(url, { method: "POST", timeoutMs: TIMEOUT_MS }), response);
      const body = new TextDecoder().decode(response.body);
      found.push(response.error ?? (body === path ? "ok" : `${response.status}: ${body}`));
      await pauseBetweenRequests();
    }
    const failed = (i: number) => results[i] === "failed" && found[i] !== "ok";
    assertEquals(found, results.map((result, i) => failed(i) ? found[i] : result));
  });
}
