import { assert, assertEquals } from "@std/assert";
import { gzipSync } from "node:zlib";
import { planRedactor } from "../../../src/engine/flow/constants.ts";
import { describeFailed, tracedSender } from "../../../src/cli/run/traced_sender.ts";
import {
  HttpResponse,
  type HttpSession,
  type Outgoing,
  type Sender,
  type Socket,
  type SocketListener,
} from "../../../src/http/sender.ts";
import type { Condition } from "../../../src/plan/kinds/conditions.ts";
import type { Plan } from "../../../src/plan/schema/plan.ts";
import { RecordedView } from "../../../src/traffic/session/recorded_view.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

const REQUEST: Outgoing = {
  method: "POST",
  origin: { secure: true, host: "shop.test", port: 443, authority: "shop.test" },
  target: "/login?x=1",
  headers: [["content-type", "application/json"], ["x-key", "s3cr3t & more"]],
  body: bytes('{"password":"s3cr3t & more"}'),
  timeoutMs: 1_000,
  needs: { headers: false, body: false },
};

/** Returns what `tracedSender` prints about an exchange with `response`. */
async function shown(
  response: Partial<HttpResponse>,
  bodies: boolean,
  secret = "s3cr3t & more",
  branch = false,
) {
  const wanted: unknown[] = [];
  const session: HttpSession = {
    send(request, into) {
      wanted.push(request.needs);
      Object.assign(into, response);
      return Promise.resolve();
    },
    openSocket: () => Promise.resolve(undefined),
    branch: () => session,
    close() {},
  };
  const sender: Sender = { open: () => session, close() {} };
  const plan = { secrets: { key: { env: "KEY" }, none: { env: "NONE" } }, scenarios: {} } as Plan;
  const redact = planRedactor(plan, {
    readFile: () => new Uint8Array(),
    readEnv: (name) => name === "KEY" ? secret : undefined,
  });
  let text = "";
  const traced = tracedSender(sender, new Map(), (more) => text += more, { bodies, redact });
  const opened = traced.open();
  await (branch ? opened.branch() : opened).send(REQUEST, new HttpResponse());
  assertEquals(wanted, [{ headers: true, body: true }]);
  return text;
}

const RESPONSE: Partial<HttpResponse> = {
  status: 200,
  headers: [["content-type", "application/json"], ["content-encoding", "gzip"]],
  body: gzipSync('{"token":"abc",\n"echo":"s3cr3t & more"}'),
  bodySize: 60,
  waitingMs: 12.5,
};

Deno.test("tracedSender always prints headers, but prints bodies only if requested", async () => {
  assertEquals(
    await shown(RESPONSE, true),
    `POST https://shop.test/login?x=1
> Host: shop.test
> content-type: application/json
> x-key: ********
> Content-Length: 28
>
> {"password":"********"}
< 200 in 12.5ms
< content-type: application/json
< content-encoding: gzip
<
< {"token":"abc",
< "echo":"********"}
`,
  );
  const brief = await shown(RESPONSE, false);
  assert(brief.includes("> (28 B of application/json)"), brief);
  assert(brief.includes("< (39 B of application/json)"), brief);
  assert(!brief.includes("token"), brief);
});

Deno.test("tracedSender describes failed exchanges and binary or damaged bodies", async () => {
  const fault = await shown({ error: "timeout", message: "no answer within 1s" }, true);
  assert(fault.includes("\n< timeout: no answer within 1s\n"), fault);
  const image = { ...RESPONSE, headers: [["content-type", "image/png"]] as [string, string][] };
  assert((await shown(image, true)).includes("of image/png)"));
  const damaged = await shown({ ...RESPONSE, body: bytes("not gzip") }, true);
  assert(damaged.includes("< (cannot decode the gzip body"), damaged);
});

Deno.test("tracedSender escapes control characters in responses", async () => {
  const text = await shown({
    status: 200,
    headers: [["x", "\x1b[2J"], ["content-type", "text/plain"]],
    body: bytes("\x1b]0;evil\x07\r\n\u202e"),
    bodySize: 12,
  }, true);
  // deno-lint-ignore no-control-regex
  assertEquals(text.match(/[\x00-\x09\x0b-\x1f\u202e]/g), null);
});

Deno.test("the redactor of a plan hides variables by their names", () => {
  const values: Record<string, string> = {
    API_TOKEN: "words-only",
    KEY: "main",
    CODE: "de-DE-1996",
  };
  const plan = {
    variables: { password: "tide", number: "12345678", code: "standard", key: "products" },
    scenarios: {},
    name: "${env.API_TOKEN} ${env.KEY} ${env.CODE}",
  } as unknown as Plan;
  const redact = planRedactor(plan, {
    readFile: () => bytes(""),
    readEnv: (name) => values[name],
  });
  assertEquals(
    redact("tide 12345678 standard products words-only main de-DE-1996"),
    "******** 12345678 standard products ******** main de-DE-1996",
  );
});

Deno.test("tracedSender decodes bodies in their charset and recognizes text bodies without a Content-Type header", async () => {
  const body = async (body: Uint8Array<ArrayBuffer>, type?: string) => {
    const headers: [string, string][] = type === undefined ? [] : [["content-type", type]];
    const text = await shown({ status: 200, headers, body, bodySize: body.length }, true);
    return text.trimEnd().split("\n").at(-1);
  };
  assertEquals(await body(bytes("ok")), "< ok");
  assertEquals(await body(new Uint8Array([0, 1, 2])), "< (3 B of unknown type)");
  assertEquals(await body(new Uint8Array([0xff, 0xfe])), "< (2 B of unknown type)");
  const latin = new Uint8Array([0x63, 0x61, 0x66, 0xe9]);
  assertEquals(await body(latin, "text/plain; charset=ISO-8859-1"), "< café");
  assertEquals(await body(bytes("café"), "text/plain"), "< café");
  assertEquals(await body(bytes("x"), "image/png"), "< (1 B of image/png)");
});

Deno.test("the trace of a WebSocket shows its URL, and each line of a message", async () => {
  let listener: SocketListener | undefined;
  const socket: Socket = {
    bytesSent: 0,
    bytesReceived: 0,
    send: () => Promise.resolve(),
    listen: (given) => void (listener = given),
    close() {},
    abort() {},
  };
  const session: HttpSession = {
    send: () => Promise.resolve(),
    openSocket(_request, into) {
      Object.assign(into, { status: 101 });
      return Promise.resolve(socket);
    },
    branch: () => session,
    close() {},
  };
  let text = "";
  const trace = { bodies: true, redact: (text: string) => text.replace("s3cr3t", "***") };
  const sender = tracedSender(
    { open: () => session, close() {} },
    new Map(),
    (shown) => text += shown,
    trace,
  );
  const request = { ...REQUEST, method: "GET", body: undefined };
  const opened = await sender.open("vu").openSocket(
    { ...request, subprotocols: [], compression: false },
    new HttpResponse(),
  );
  opened!.listen({ onMessage() {}, onEnd() {} });
  await opened!.send(bytes("a\nb s3cr3t\x1b[31m\n"), true);
  listener!.onMessage("{\r\n}", 4);
  listener!.onMessage(new Uint8Array(3), 3);
  const [head, ...messages] = text.trimEnd().split("\n");
  assertEquals(head, "#ws1 GET wss://shop.test/login?x=1");
  assertEquals(messages.slice(-5), [
    "#ws1 > a",
    "#ws1 > b ***\\x1b[31m",
    "#ws1 < {",
    "#ws1 < }",
    "#ws1 < (message of 3 B)",
  ]);
});

Deno.test("tracedSender shortens long descriptions of failures, after hiding secrets", () => {
  let text = "";
  const session: HttpSession = {
    send: () => Promise.resolve(),
    openSocket: () => Promise.resolve(undefined),
    branch: () => session,
    close() {},
  };
  const { observer } = tracedSender(
    { open: () => session, close() {} },
    new Map(),
    (more) => text += more,
    { bodies: false, redact: (line) => line.replaceAll("s3cr3t", "***") },
  );
  const reason = "x".repeat(370) + "s3cr3t".repeat(100_000);
  observer.unsent({ url: "/" }, session, reason);
  assertEquals(text.length, 2 + 400 + 1);
  assertEquals(/[*]+…\n$/.test(text), true);
});

function describe(condition: Condition, text: string): string {
  const response = Object.assign(new HttpResponse(), { status: 200, bodySize: text.length });
  const view = new RecordedView({ headers: [], text });
  return describeFailed(condition, Object.assign(view, { response, durationMs: 7 }));
}

Deno.test("describeFailed reports the number of values found if the condition expects a `count`", () => {
  const count = { type: "jsonpath", expression: "$.items[*]", count: 3 } as const;
  assertEquals(
    describe(count, '{"items":[{"id":1},{"id":2}]}'),
    "jsonpath expression $.items[*] count 3: got 2 values",
  );
  assertEquals(describe(count, '{"items":[]}').split(": ")[1], "got 0 values");
  assertEquals(describe(count, "<p>"), "jsonpath expression $.items[*] count 3");
  const one = { type: "jsonpath", expression: "$.items[0]", equals: 3 } as const;
  assertEquals(describe(one, '{"items":[4,5]}').split(": ")[1], "got 4");
});
