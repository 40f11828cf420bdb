import { assert, assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { freePort } from "../../scripts/local_port.ts";
import type { ErrorKind, HttpResponse, Outgoing, ResponseNeeds } from "../../src/http/sender.ts";
import { faultyServers, pauseBetweenRequests } from "../support/faulty_servers.ts";
import { openClient, sendOnce, testOptions } from "../support/http_client.ts";
import { resettingServer } from "../support/resetting_server.ts";
import { wireServer } from "../support/wire_server.ts";

const HEAD = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n";

const EARLY = "HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n";
const STREAM = "HTTP/1.1 200 OK\r\n\r\n" + "x".repeat(200_000);
const MANY = Array.from({ length: 100 }, (_, i) => `X-${i}: ${"x".repeat(1_000)}\r\n`).join("");

/**
 * Server faults by name: the error kind that the client must report, what the server writes in
 * response to the request, and whether it then waits until the client closes the connection.
 */
const FAULTS: Record<string, [ErrorKind, text: string, waits?: true]> = {
  "a connection closed before any response": ["closed", ""],
  "a connection closed within the head": ["closed", "HTTP/1.1 200 OK\r\nContent-Le"],
  "a connection closed within the body": ["closed", HEAD + "hello"],
  "a connection closed after interim responses": ["closed", `HTTP/1.1 100 X\r\n\r\n${EARLY}`],
  "nothing after an interim response": ["timeout", EARLY, true],
  "a missing response": ["timeout", "", true],
  "a body that stops": ["timeout", HEAD + "hello", true],
  "headers that stop": ["timeout", "HTTP/1.1 200 OK\r\nX: ", true],
  "garbage": ["protocol", "\0\xff garbage\r\n\r\n"],
  "bytes after the response": ["protocol", HEAD + "0123456789 and more"],
  "huge headers": ["too_large", "HTTP/1.1 200 OK\r\n" + MANY, true],
  "a huge body": ["too_large", STREAM, true],
};

for (const [name, [kind, text, waits]] of Object.entries(FAULTS)) {
  Deno.test(`faults: reports ${name} as \`${kind}\``, async () => {
    await using server = wireServer(async (peer) => {
      await peer.head();
      await peer.write(text);
      if (waits) await peer.untilClosed();
    });
    const response = await sendOnce(
      server.url,
      { method: "POST", timeoutMs: kind === "timeout" ? 60 : 60_000 },
      testOptions({ limits: { headers: 65_536, body: 100_000 } }),
    );
    assertFault(response, kind);
    if (name.includes("interim")) assertEquals([response.status, response.headers], [0, []]);
    assertEquals(server.accepted, 1);
  });
}

Deno.test("faults: reports a connection that is closed at once as `closed`", async () => {
  await using server = wireServer(() => {});
  assertFault(await sendOnce(server.url, { method: "POST" }), "closed");
});

Deno.test("faults: keeps the first bytes of an incomplete body", async () => {
  for (const end of ["closed", "timeout"]) {
    const needs: readonly ResponseNeeds[] = [
      { headers: false, body: true },
      { headers: false, body: false },
    ];
    const kept = await Promise.all(needs.map(async (needs) => {
      await using server = wireServer(async (peer) => {
        await peer.head();
        await peer.write("HTTP/1.1 500 No\r\nContent-Length: 10\r\n\r\nhello");
        if (end === "timeout") await peer.untilClosed();
      });
      const timeoutMs = end === "timeout" ? 60 : 60_000;
      const { error, excerpt, body } = await sendOnce(server.url, { needs, timeoutMs });
      assertEquals([error as string, body.length], [end, 0]);
      return new TextDecoder().decode(excerpt);
    }));
    assertEquals(kept, ["hello", "hello"]);
  }
});

Deno.test("faults: accepts headers up to 1 MiB by default", async () => {
  for (const size of [200_000, 1_000_000, 1_100_000]) {
    await using server = wireServer(async (peer) => {
      await peer.head();
      await peer.write(`HTTP/1.1 200 OK\r\nX: ${"x".repeat(size)}\r\nContent-Length: 0\r\n\r\n`);
      await peer.untilClosed();
    });
    const { error } = await sendOnce(server.url);
    assertEquals(error, size > 2 ** 20 ? "too_large" : undefined);
  }
});

for (const written of ["HTTP/1.1 200 OK\r\nContent-Le", HEAD + "hello"]) {
  Deno.test(`faults: reports a reset after ${written.length} bytes as \`reset\``, async () => {
    await using server = await resettingServer(written);
    const response = await sendOnce(url(server.port));
    assertFault(response, "reset");
    assertEquals(response.bytesReceived, written.length);
  });
}

Deno.test("faults: reports a refused connection as `refused`", async () => {
  assertFault(await sendOnce(url(freePort())), "refused", /127\.0\.0\.1:\d+.*refused/);
});

Deno.test("faults: reports an unanswered connection attempt as `timeout`", async () => {
  // The listener never accepts connections. Once its queue is full, the system ignores new ones.
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0, tcpBacklog: 1 });
  const { port } = listener.addr;
  using _first = await Deno.connect({ hostname: "127.0.0.1", port });
  using _second = await Deno.connect({ hostname: "127.0.0.1", port });
  assertFault(await sendOnce(url(port), { timeoutMs: 60 }), "timeout", /60ms/);
});

Deno.test("faults: reports a request with injected line breaks or delimiters as `protocol` without sending it", async () => {
  await using server = wireServer((peer) => peer.untilClosed());
  const broken: Partial<Outgoing>[] = [
    { method: "GET /x" },
    { method: "" },
    { target: "/a b" },
    { target: "/\r\nX: 1" },
    { target: "" },
    { headers: [["X", "a\r\nY: b"]] },
    { headers: [["X", "a\0"]] },
    { headers: [["X Y", "a"]] },
    { headers: [["", "a"]] },
  ];
  for (const part of broken) {
    const response = await sendOnce(server.url, part);
    assertFault(response, "protocol", /cannot be sent/);
    assertEquals(response.bytesSent, 0);
  }
});

Deno.test("faults: reports an unresolvable name as `dns`", async () => {
  // Resolving the name needs a permission that the tests do not have.
  const script = fromFileUrl(new URL("../support/send_to_nowhere.ts", import.meta.url));
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--allow-net=nonexistent.invalid", script],
  }).output();
  const { error, message } = JSON.parse(new TextDecoder().decode(stdout));
  assertEquals(error, "dns");
  assertMatch(message, /nonexistent\.invalid/);
});

Deno.test("faults: the error message states the missing permission", async () => {
  const response = await sendOnce("http://192.0.2.1:81/");
  assertFault(response, "connect", /--allow-net=192\.0\.2\.1:81/);
});

function url(port: number): string {
  return `http://127.0.0.1:${port}/`;
}

function assertFault(response: HttpResponse, kind: ErrorKind, message = /./): void {
  assertEquals(response.error, kind, response.message);
  assertMatch(response.message ?? "", message);
  const { blockedMs, connectingMs, tlsMs, sendingMs, waitingMs, receivingMs } = response;
  const parts = [blockedMs, connectingMs, tlsMs, sendingMs, waitingMs, receivingMs];
  assert(parts.every((part) => part >= 0), `negative time: ${parts}`);
}

const LIMITS = { headers: 100_000, body: 200_000 };
/** Timeout of requests in milliseconds; a limit may be reached late on a busy machine. */
const timeoutFor = (result: string) => result === "too_large" ? 60_000 : 500;

for (const [name, { version, results, script }] of Object.entries(faultyServers())) {
  Deno.test(`faulty server: ${name}`, async () => {
    await using server = wireServer(script);
    using client = openClient(testOptions({ version, limits: LIMITS }));
    const found: string[] = [];
    for (const [i, path] of ["/0", "/1"].entries()) {
      const url = `http://127.0.0.1:${server.port}${path}`;
      const timeoutMs = timeoutFor(results[i]);
      const response = await client.send(url, { method: "POST", timeoutMs });
      const body = new TextDecoder().decode(response.body);
      found.push(response.error ?? (body === path ? "ok" : `${response.status}: ${body}`));
      await pauseBetweenRequests();
    }
    const failed = (i: number) => results[i] === "failed" && found[i] !== "ok";
    assertEquals(found, results.map((result, i) => failed(i) ? found[i] : result));
  });
}
