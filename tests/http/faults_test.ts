import { assert, assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { freePort } from "../../scripts/local_port.ts";
import { networkSender } from "../../src/http/network_session.ts";
import {
  type ErrorKind,
  type HttpResponse,
  newResponse,
  type Outgoing,
  type ResponseNeeds,
} from "../../src/http/sender.ts";
import { faultyServers, pauseBetweenRequests } from "../support/faulty_servers.ts";
import { disposable, sendOnce, testOptions, testRequest } from "../support/http_client.ts";
import { resettingServer } from "../support/resetting_server.ts";
import { type Peer, wireServer } from "../support/wire_server.ts";

const HEAD = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n";

/**
 * Server faults by name, each with the error kind that the client must report, and the script that
 * the server runs.
 */
const FAULTS: Record<string, [ErrorKind, script: (peer: Peer) => Promise<void> | void]> = {
  "a connection closed before any response": ["closed", async (peer) => void await peer.head()],
  "a connection closed at once": ["closed", () => {}],
  "a connection closed within the head": ["closed", async (peer) => {
    await peer.head();
    await peer.write("HTTP/1.1 200 OK\r\nContent-Le");
  }],
  "a connection closed within the body": ["closed", async (peer) => {
    await peer.head();
    await peer.write(HEAD + "hello");
  }],
  "a connection closed after interim responses": ["closed", async (peer) => {
    await peer.head();
    await peer.write("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n");
  }],
  "nothing after an interim response": ["timeout", async (peer) => {
    await peer.head();
    await peer.write("HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n");
    await peer.untilClosed();
  }],
  "a missing response": ["timeout", (peer) => peer.untilClosed()],
  "a body that stops": ["timeout", async (peer) => {
    await peer.head();
    await peer.write(HEAD + "hello");
    await peer.untilClosed();
  }],
  "headers that arrive too slowly": ["timeout", async (peer) => {
    await peer.head();
    for (const c of "HTTP/1.1 200 OK\r\nX: ") await peer.write(c);
    await peer.untilClosed();
  }],
  "garbage": ["protocol", async (peer) => {
    await peer.head();
    await peer.write("\0\xff garbage\r\n\r\n");
  }],
  "bytes after the response": ["protocol", async (peer) => {
    await peer.head();
    await peer.write(HEAD + "0123456789 and more");
  }],
  "huge headers": ["too_large", async (peer) => {
    await peer.head();
    await peer.write("HTTP/1.1 200 OK\r\n");
    for (let i = 0; i < 100; i++) await peer.write(`X-${i}: ${"x".repeat(1_000)}\r\n`);
    await peer.untilClosed();
  }],
  "an endless body": ["too_large", async (peer) => {
    await peer.head();
    await peer.write("HTTP/1.1 200 OK\r\n\r\n");
    for (;;) await peer.write("x".repeat(10_000));
  }],
};

for (const [name, [kind, script]] of Object.entries(FAULTS)) {
  Deno.test(`faults: reports ${name} as \`${kind}\``, async () => {
    await using server = wireServer(script);
    const response = await sendOnce(
      testRequest(url(server.port), {
        method: "POST",
        timeoutMs: kind === "timeout" ? 60 : 60_000,
      }),
      testOptions({ limits: { headers: 65_536, body: 100_000 } }),
    );
    assertFault(response, kind);
    if (name.includes("interim")) assertEquals([response.status, response.headers], [0, []]);
    assertEquals(server.accepted, 1);
  });
}

Deno.test("faults: keeps the first bytes of an incomplete body", async () => {
  for (const end of ["closed", "timeout"]) {
    const needs: readonly ResponseNeeds[] = [
      { headers: false, body: true },
      { headers: false, body: false, keepsFailure: () => true },
      { headers: false, body: false, sampleNext: 1 },
      { headers: false, body: false },
    ];
    const kept = await Promise.all(needs.map(async (needs) => {
      await using server = wireServer(async (peer) => {
        await peer.head();
        await peer.write("HTTP/1.1 500 No\r\nContent-Length: 10\r\n\r\nhello");
        if (end === "timeout") await peer.untilClosed();
      });
      const timeoutMs = end === "timeout" ? 60 : 60_000;
      const { error, excerpt, body } = await sendOnce(
        testRequest(url(server.port), { needs, timeoutMs }),
      );
      assertEquals([error as string, body.length], [end, 0]);
      return new TextDecoder().decode(excerpt);
    }));
    assertEquals(kept, ["hello", "hello", "hello", ""]);
  }
});

Deno.test("faults: accepts headers up to 1 MiB by default", async () => {
  for (
    const [size, error] of [[200_000, undefined], [1_000_000, undefined], [
      1_100_000,
      "too_large",
    ]] as const
  ) {
    await using server = wireServer(async (peer) => {
      await peer.head();
      await peer.write(`HTTP/1.1 200 OK\r\nX: ${"x".repeat(size)}\r\nContent-Length: 0\r\n\r\n`);
      await peer.untilClosed();
    });
    assertEquals((await sendOnce(testRequest(url(server.port)))).error, error);
  }
});

for (const written of ["HTTP/1.1 200 OK\r\nContent-Le", HEAD + "hello"]) {
  Deno.test(`faults: reports a reset after ${written.length} bytes as \`reset\``, async () => {
    await using server = await resettingServer(written);
    const response = await sendOnce(testRequest(url(server.port)));
    assertFault(response, "reset");
    assertEquals(response.bytesReceived, written.length);
  });
}

Deno.test("faults: reports a refused connection as `refused`", async () => {
  assertFault(await sendOnce(testRequest(url(freePort()))), "refused", /127\.0\.0\.1:\d+.*refused/);
});

Deno.test("faults: reports an unanswered connection attempt as `timeout`", async () => {
  // The listener never accepts connections. Once its queue is full, the system ignores new ones.
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0, tcpBacklog: 1 });
  const { port } = listener.addr;
  using _first = await Deno.connect({ hostname: "127.0.0.1", port });
  using _second = await Deno.connect({ hostname: "127.0.0.1", port });
  assertFault(await sendOnce(testRequest(url(port), { timeoutMs: 60 })), "timeout", /60ms/);
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
    const response = await sendOnce(testRequest(url(server.port), part));
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
  const response = await sendOnce(testRequest("http://192.0.2.1:81/"));
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
