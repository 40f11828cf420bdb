import { assertEquals } from "@std/assert";
import { convertHar } from "../../src/convert/from_har.ts";
import { listRequests } from "../../src/plan/kinds/list_requests.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { readHar } from "../../src/traffic/har/read_har.ts";
import { moveOverlapped } from "../../src/calibrate/flow_edits.ts";

/** A recorded call: request line, start and end in milliseconds, and its cookies. */
interface Call {
  readonly request: string;
  readonly start: number;
  readonly end: number;
  readonly sends?: string;
  readonly sets?: string;
}

/**
 * Converts a recording of `calls`, and applies `edit` and `moveOverlapped` to the plan. Returns the
 * URLs of the plan's requests in order, and the list of moved requests.
 */
async function move(calls: readonly Call[], edit: (plan: Plan) => Plan = (plan) => plan) {
  const field = (name: string, value: string | undefined) => value ? [{ name, value }] : [];
  const entries = calls.map(({ request, start, end, sends, sets }) => {
    const [method, url] = request.split(" ");
    return {
      startedDateTime: new Date(1_790_000_000_000 + start).toISOString(),
      time: end - start,
      request: {
        method,
        url: new URL(url, "https://app.example").href,
        headers: field("Cookie", sends),
      },
      response: {
        status: 200,
        headers: field("Set-Cookie", sets),
        content: { mimeType: "text/html", text: "<p>ok" },
      },
    };
  });
  const har = JSON.stringify({ log: { version: "1.2", entries } });
  const recording = await readHar([new TextEncoder().encode(har)], "session.har");
  const converted = convertHar(recording, {});
  const { plan, moved } = moveOverlapped(edit(converted.plan), recording);
  const urls = [...listRequests(plan.scenarios.recorded.flow)].map(({ url }) => url);
  return { urls, moved };
}

const LOGOUT: Call = {
  request: "GET /logout",
  start: 100,
  end: 240,
  sends: "session=old; lang=en",
  sets: "session=new; Path=/",
};
const BEACON: Call = { request: "POST /log", start: 103, end: 330, sends: "lang=en; session=old" };
const HOME: Call = { request: "GET /", start: 250, end: 300, sends: "session=new" };

Deno.test("moveOverlapped moves a request that was sent with an old cookie while an earlier request was in flight", async () => {
  assertEquals(await move([LOGOUT, BEACON, HOME]), {
    urls: ["/log", "/logout", "/"],
    moved: [{ index: 0, before: 1, ms: 3 }],
  });
});

Deno.test("moveOverlapped moves a request before all requests that were in flight when it was sent", async () => {
  const image: Call = { request: "GET /part", start: 101, end: 400 };
  const { urls, moved } = await move([LOGOUT, image, BEACON, HOME]);
  assertEquals(urls, ["/log", "/logout", "/part", "/"]);
  assertEquals(moved, [{ index: 0, before: 1, ms: 3 }]);
});

Deno.test("moveOverlapped also moves a request whose URL is on a subdomain or subpath that the cookie covers", async () => {
  const cookie = "session=new; Domain=app.example; Path=/app";
  const logout: Call = { ...LOGOUT, request: "GET /app/logout", sets: cookie };
  for (const request of ["POST https://eu.app.example/app/log", "POST /app/log"]) {
    assertEquals((await move([logout, { ...BEACON, request }])).moved.length, 1, request);
  }
});

Deno.test("moveOverlapped keeps the order of requests whose responses renew the cookie", async () => {
  const renewed = Array.from({ length: 6 }, (_, i): Call => ({
    request: `GET /part/${i}`,
    start: i * 10,
    end: i * 10 + 15,
    sends: `session=s${Math.max(0, i - 1)}`,
    sets: `session=s${i + 1}; Path=/`,
  }));
  const assets = Array.from({ length: 8 }, (_, i): Call => (
    { request: `GET /asset/${i}`, start: 100 + i, end: 200, sends: "session=s6" }
  ));
  const { urls, moved } = await move([...renewed, ...assets]);
  assertEquals([urls, moved], [[...renewed, ...assets].map(({ request }) => request.slice(4)), []]);
});

Deno.test("moveOverlapped moves a request before the one that deletes its cookie", async () => {
  const logout = { ...LOGOUT, sets: "session=; Path=/; Max-Age=0; Expires=Thu, 01 Jan 1970" };
  assertEquals((await move([logout, BEACON])).moved.length, 1);
});

const KEPT: Record<string, Call[]> = {
  "was sent after the response": [LOGOUT, { ...BEACON, start: 240 }],
  "was sent with the new cookie": [LOGOUT, { ...BEACON, sends: "session=new" }],
  "has no recorded cookies": [LOGOUT, { ...BEACON, sends: undefined }],
  "sends a cookie that the response did not change": [
    { ...LOGOUT, sets: "session=old" },
    BEACON,
  ],
  "sends a cookie that the earlier request did not send": [
    { ...LOGOUT, sends: "lang=en" },
    BEACON,
  ],
  "belongs to another host": [LOGOUT, { ...BEACON, request: "POST https://stats.example/log" }],
  "follows a request that had ended": [
    LOGOUT,
    { request: "GET /part", start: 101, end: 102 },
    BEACON,
  ],
};

for (const [name, calls] of Object.entries(KEPT)) {
  Deno.test(`moveOverlapped keeps the order if the later request ${name}`, async () => {
    assertEquals((await move(calls)).moved, []);
  });
}

Deno.test("moveOverlapped does not move a request before the one that extracts its variable", async () => {
  const extract = [{ type: "boundary", name: "id", left: "<p>", right: "k" }] as const;
  const withVariable = (plan: Plan): Plan => {
    const [logout, ...others] = plan.scenarios.recorded.flow.map(({ request }) => request!);
    const flow = [{ ...logout, extract }, ...others.map((one) => ({ ...one, url: "/${id}" }))]
      .map((request) => ({ request }));
    return { scenarios: { recorded: { ...plan.scenarios.recorded, flow } as never } };
  };
  assertEquals(await move([LOGOUT, BEACON], withVariable), {
    urls: ["/logout", "/${id}"],
    moved: [],
  });
});
