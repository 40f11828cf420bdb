import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { networkOptions } from "../../src/http/network_options.ts";
import { networkSender } from "../../src/http/network_session.ts";
import { run } from "../../src/engine/run_plan.ts";
import { convertHar } from "../../src/convert/from_har.ts";
import { override } from "../../src/plan/override.ts";
import type { HarOptions } from "../../src/convert/har/facts.ts";
import { readHar } from "../../src/traffic/har/read_har.ts";
import type { Recording } from "../../src/traffic/har/recording.ts";
import { type RecordingServer, serveRecording } from "../../src/verify/verifying_server.ts";
import { recordingOf } from "../convert/har/recorded_case.ts";
import { harFiles } from "../support/har_files.ts";
import { readLabelled } from "../support/labelled.ts";

async function served(
  recording: Recording,
  use: (server: RecordingServer) => Promise<void>,
): Promise<void> {
  const server = serveRecording(recording, 0, "test.har");
  try {
    await use(server);
  } finally {
    await server.stop();
  }
}

/**
 * Converts the calls that a recording makes to its main origin, and runs the plan over the network
 * against `server`.
 */
async function runConverted(recording: Recording, options: HarOptions, server: RecordingServer) {
  const { plan } = convertHar(recording, { ...options, origins: [server.recordedOrigin] });
  const sender = networkSender(networkOptions({}, () => ""));
  try {
    const here = override(plan, { baseUrl: server.origin, vus: 2, iterations: 2 });
    return await run(here, { sender, readFile: () => new Uint8Array(), readEnv: () => undefined });
  } finally {
    sender.close();
  }
}

Deno.test("serveRecording does not report correlated values of a converted plan as stale", async () => {
  for (const { name, recording, labels } of await readLabelled()) {
    await served(recording, async (server) => {
      const { errors } = await runConverted(recording, {}, server);
      const { stale, compared, added } = server.seen;
      assertEquals(errors.filter(({ kind }) => kind !== "assert"), [], name);
      const correlated = new Set(
        labels.filter(({ byDefault, correlate }) => correlate || byDefault)
          .map(({ value }) => String(value)),
      );
      const wrong = stale.filter(({ value }) => correlated.has(value));
      const differing = compared.flatMap(({ differing }) => differing);
      assertEquals([wrong, differing, added], [[], [], []], name);
    });
  }
});

Deno.test("serveRecording serves every real recording to its converted plan", async () => {
  for (const { name, bytes } of harFiles("testdata/har/real")) {
    const recording = await readHar([bytes], name);
    await served(recording, async (server) => {
      const { errors } = await runConverted(recording, {}, server);
      const { matched, sent, stale, added } = server.seen;
      assertEquals([stale.length, matched], [0, sent], `${name} ${JSON.stringify(added)}`);
      assert(sent > 0, `${name}: ${JSON.stringify(errors)}`);
    });
  }
});

const PAGES = recordingOf([
  {
    request: "GET /start",
    status: 302,
    response_headers: {
      Location: "https://app.example/form?ticket=4f6c1d2e8a9b7c30",
      "Set-Cookie": "sid=5f3c9a71b2d84e60; Domain=app.example; Secure; HttpOnly",
    },
  },
  {
    request: "GET /form?ticket=4f6c1d2e8a9b7c30",
    type: "text/html",
    text: '<form action="https://app.example/send"><input name="csrf" value="9f86d081884c7d65">',
  },
  { request: "POST /send", form: { csrf: "9f86d081884c7d65" }, status: 204 },
]);

Deno.test("serveRecording sends redirects, pages and cookies with fresh values for each visitor", () =>
  served(PAGES, async ({ origin, seen }) => {
    const visit = async () => {
      const start = await fetch(`${origin}/start`, { redirect: "manual" });
      await start.body?.cancel();
      const cookies = start.headers.getSetCookie();
      const location = start.headers.get("location")!;
      const cookie = cookies.map((text) => text.split(";")[0]).join("; ");
      const page = await (await fetch(location, { headers: { cookie } })).text();
      const [, csrf] = /value="(.*)"/.exec(page)!;
      const body = new URLSearchParams({ csrf });
      const sent = await fetch(`${origin}/send`, { method: "POST", headers: { cookie }, body });
      assertEquals(sent.status, 204);
      return { cookies, location, page, csrf };
    };
    const first = await visit();
    assertMatch(first.location, /^http:\/\/127\.0\.0\.1:\d+\/form\?ticket=[0-9a-f]{16}$/);
    assertMatch(first.cookies[0], /^sid=[0-9a-f]{16}; HttpOnly$/);
    assert(first.page.includes(`<form action="${origin}/send">`), first.page);
    const second = await visit();
    for (const fresh of ["location", "csrf"] as const) assertNotEquals(first[fresh], second[fresh]);
    assertEquals([seen.sent, seen.matched, seen.stale.length], [6, 6, 0]);
    const old = new URLSearchParams({ csrf: "9f86d081884c7d65" });
    const cookie = second.cookies.map((text) => text.split(";")[0]).join("; ");
    await fetch(`${origin}/send`, { method: "POST", headers: { cookie }, body: old });
    assertEquals(seen.stale.map(({ value, place }) => [value, place]), [
      ["9f86d081884c7d65", "form csrf"],
    ]);
    const { status, body } = await fetch(`${origin}/elsewhere`);
    await body?.cancel();
    assertEquals([status, seen.added.length], [404, 1]);
  }));

Deno.test("serveRecording regenerates a short id next to text that the client sent", async () => {
  const recording = recordingOf([
    {
      request: "POST /admin/group/add/",
      form: { name: "group" },
      status: 302,
      response_headers: { Location: "/admin/group/17/change/" },
    },
    { request: "GET /admin/group/17/change/", type: "text/html", text: "<p>group</p>" },
  ]);
  await served(recording, async (server) => {
    const body = new URLSearchParams({ name: "group" });
    const response = await fetch(`${server.origin}/admin/group/add/`, {
      method: "POST",
      body,
      redirect: "manual",
    });
    await response.body?.cancel();
    const location = response.headers.get("location");
    assertMatch(location ?? "", /\/admin\/group\/\d+\/change\/$/);
    assert(!location!.endsWith("/17/change/"), location!);
  });
});

Deno.test("serveRecording rejects an unknown name in the Host header", async () => {
  await served(recordingOf([{ request: "GET /", status: 200 }]), async (server) => {
    const { port } = new URL(server.origin);
    const ask = async (head: string): Promise<string> => {
      using conn = await Deno.connect({ hostname: "127.0.0.1", port: Number(port) });
      await conn.write(new TextEncoder().encode(head));
      const buffer = new Uint8Array(100);
      const size = await conn.read(buffer);
      return new TextDecoder().decode(buffer.subarray(0, size ?? 0)).slice(9, 12);
    };
    const get = (host: string) => ask(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    assertEquals(await get("attacker.test"), "421");
    for (const host of ["127.0.0.1", `localhost:${port}`, new URL(server.recordedOrigin).host]) {
      assertEquals(await get(host), "200");
    }
  });
});
