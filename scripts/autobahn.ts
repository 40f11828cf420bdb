/**
 * Runs the client cases of the Autobahn test suite against the WebSocket client, and prints the
 * cases that it fails. Exits with 1 if it fails any.
 *
 *     deno run -A scripts/autobahn.ts WSTEST [PORT [CASES...]]
 *
 * WSTEST is the program `wstest` of the PyPI package `autobahntestsuite` 0.8.2, which needs Python
 * 2.7:
 *
 *     python2.7 -m virtualenv /tmp/autobahn
 *     /tmp/autobahn/bin/pip install autobahntestsuite==0.8.2
 */
import { join } from "@std/path";
import { networkSender } from "../src/http/network_session.ts";
import { HttpResponse, type SocketEnd, type SocketMessage } from "../src/http/sender.ts";
import { resolveUrl } from "../src/http/url.ts";
import { testOptions } from "../tests/support/http_client.ts";

const [wstest, port = "9001", ...cases] = Deno.args;
if (wstest === undefined) {
  console.error("usage: autobahn.ts WSTEST [PORT [CASES...]]");
  Deno.exit(2);
}

const AGENT = "rehearse";
const folder = Deno.makeTempDirSync();
const spec = join(folder, "spec.json");
Deno.writeTextFileSync(
  spec,
  JSON.stringify({
    url: `ws://127.0.0.1:${port}`,
    outdir: join(folder, "reports"),
    cases: cases.length > 0 ? cases : ["*"],
    "exclude-cases": [],
    "exclude-agent-cases": {},
  }),
);
const server = new Deno.Command(wstest, {
  args: ["-m", "fuzzingserver", "-s", spec],
  stdout: "null",
  stderr: "null",
}).spawn();
const sender = networkSender(testOptions());
try {
  await listening();
  const count = Number((await visit("/getCaseCount", false))[0]);
  for (let n = 1; n <= count; n++) {
    await visit(`/runCase?case=${n}&agent=${AGENT}`, true);
    if (n % 50 === 0) console.error(`${n} of ${count} cases`);
  }
  await visit(`/updateReports?agent=${AGENT}`, false);
  Deno.exitCode = printResults(count) === 0 ? 0 : 1;
} finally {
  sender.close();
  server.kill();
  await server.status;
  Deno.removeSync(folder, { recursive: true });
}

/** Waits until the server accepts connections. */
async function listening(): Promise<void> {
  for (let left = 100;; left--) {
    try {
      return (await Deno.connect({ hostname: "127.0.0.1", port: Number(port) })).close();
    } catch (error) {
      if (left === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

/**
 * Opens a WebSocket and waits until it closes. Returns the messages that arrived. With `echo`,
 * sends each message back instead, and returns an empty list.
 */
async function visit(target: string, echo: boolean): Promise<SocketMessage[]> {
  const messages: SocketMessage[] = [];
  const { promise: ended, resolve } = Promise.withResolvers<SocketEnd>();
  const encoder = new TextEncoder();
  const response = new HttpResponse();
  const socket = await sender.open().openSocket({
    ...resolveUrl(`http://127.0.0.1:${port}${target}`, undefined),
    method: "GET",
    headers: [],
    body: undefined,
    timeoutMs: 10_000,
    needs: { headers: true, body: false },
    subprotocols: [],
    compression: true,
  }, response);
  if (socket === undefined) throw new Error(`${target}: ${response.message}`);
  socket.listen({
    onMessage(message) {
      if (!echo) return void messages.push(message);
      const isText = typeof message === "string";
      void socket.send(isText ? encoder.encode(message) : message, isText);
    },
    onEnd: resolve,
  });
  await ended;
  return messages;
}

/** Prints the cases that failed. Returns their number. */
function printResults(count: number): number {
  const results: Record<string, Record<string, { behavior: string; behaviorClose: string }>> = JSON
    .parse(Deno.readTextFileSync(join(folder, "reports", "index.json")));
  const all = Object.entries(results[AGENT] ?? {});
  const good = ["OK", "INFORMATIONAL", "NON-STRICT", "UNIMPLEMENTED"];
  const failed = all.filter(([, { behavior, behaviorClose }]) =>
    !good.includes(behavior) || !good.includes(behaviorClose)
  );
  for (const [id, { behavior, behaviorClose }] of failed) {
    console.log(`${id}: ${behavior}, close ${behaviorClose}`);
  }
  const counts = Object.entries(Object.groupBy(all, ([, { behavior }]) => behavior))
    .map(([behavior, list]) => `${behavior} ${list!.length}`).join(", ");
  console.log(`${count} cases: ${counts}; failed: ${failed.length}`);
  return failed.length;
}
