import { assertEquals } from "@std/assert";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { type CaseCall, recordingOf } from "../convert/har/recorded_case.ts";
import { verified } from "../support/verified.ts";

/**
 * Verifies a plan that sends the recorded requests unchanged, and lists the stale and unproven
 * values, except strings that the user typed.
 */
async function reportedFor(calls: CaseCall[]): Promise<string[]> {
  const { stale, unproven } = await verified(literalPlan(calls), recordingOf(calls));
  return [
    ...stale.map(({ place, value }) => `stale ${place} ${value}`),
    ...unproven.filter(({ reason }) => reason !== "same text").map(({ place, value }) =>
      `unproven ${place} ${value}`
    ),
  ];
}

function literalPlan(calls: readonly CaseCall[]): Plan {
  const flow = calls.map(({ request, json, form }, i) => {
    const [method, url] = request.split(" ");
    const body = json === undefined ? form && { form } : { json };
    const tags = { recorded: String(i + 1) };
    return { request: { method, url, follow_redirects: false, tags, ...(body && { body }) } };
  });
  return {
    scenarios: { s: { executor: "per-vu-iterations", vus: 1, iterations: 1, flow } },
  } as Plan;
}

const page = (text: string) => ({ text, type: "text/html" });
const redirect = (location: string) => ({ status: 302, response_headers: { Location: location } });

/** Calls, and what `verify` reports if a plan sends their requests as recorded. */
const CASES: readonly [rule: string, calls: CaseCall[], reported: string[]][] = [
  ["a parameter that a write redirects to and a page links to again", [
    { request: "POST /posting?f=2", form: { text: "Hi" }, ...redirect("/topic?f=2&t=38") },
    { request: "GET /topic?f=2&t=38", ...page('<a href="/posting?f=2&amp;t=38">Reply</a>') },
    { request: "GET /posting?f=2&t=38", ...page("<p>Reply</p>") },
  ], ["unproven query t 38", "unproven query t 38"]],
  ["a parameter that a write redirects to, but no page links to", [
    { request: "POST /post", form: { text: "Hi" }, ...redirect("/edit?done=6") },
    { request: "GET /edit?done=6", ...page("<p>Saved</p>") },
  ], []],
  ["a parameter that several writes redirect to", [
    { request: "POST /a", form: { text: "Hi" }, ...redirect("/edit?note=6") },
    { request: "GET /edit?note=6", ...page('<a href="/edit?note=6">Again</a>') },
    { request: "POST /b", form: { text: "Ho" }, ...redirect("/edit?note=6") },
    { request: "GET /edit?note=6", ...page('<a href="/edit?note=6">Again</a>') },
  ], []],
  ["a position in a list", [
    { request: "POST /search", form: { text: "Hi" }, ...redirect("/list?page=2") },
    { request: "GET /list?page=2", ...page('<a href="/list?page=2">2</a>') },
  ], []],
  ["a parameter of links in a page", [
    { request: "GET /", ...page('<a href="/board?f=2">A</a><a href="/board?f=3">B</a>') },
    { request: "GET /board?f=2", ...page('<a href="/board?f=2">A</a>') },
  ], []],
  ["a field with the name of an id in an earlier response", [
    { request: "GET /start", response: { ticketId: "TK-77" } },
    { request: "POST /notes", json: { ticket: "TK-77" }, response: {} },
  ], ["unproven json $.ticket TK-77"]],
  ["a word under a name that ends in `id`, if an earlier response has it under that name", [
    { request: "GET /settings", response: { theme_id: "dark", mode: "dark" } },
    { request: "POST /settings", json: { theme_id: "dark" }, response: {} },
  ], ["unproven json $.theme_id dark"]],
  ["a word under a different name", [
    { request: "GET /settings", response: { mode: "dark", id: "home", paid: "monthly" } },
    {
      request: "POST /settings",
      json: { theme_id: "dark", id: "home", paid: "monthly" },
      response: {},
    },
  ], []],
  ["a word that a request sent before a response contained it", [
    { request: "POST /settings", json: { theme_id: "dark" }, response: { theme_id: "dark" } },
    { request: "POST /settings", json: { theme_id: "dark" }, response: {} },
  ], []],
  ["an argument of an event handler", [
    { request: "GET /team", ...page('<a onclick="showUser(17)">Ada</a>') },
    { request: "GET /users/17", response: {} },
  ], ["unproven path segment 2 17"]],
  ["an argument that is a position", [
    { request: "GET /team", ...page('<a onclick="showPage(17)">2</a>') },
    { request: "GET /users/17", response: {} },
  ], []],
  ["a field whose name differs from that of the id in an earlier response", [
    { request: "GET /start", response: { ticketId: "TK-77" } },
    { request: "POST /notes", json: { label: "TK-77" }, response: {} },
  ], []],
  ["a query without names that a link contains", [
    { request: "GET /page", ...page('<form action="./page?28-1.-form" method="post">') },
    { request: "POST /page?28-1.-form", form: { text: "Hi" }, ...redirect("/page?29") },
    { request: "GET /page?29", ...page("<p>Done</p>") },
  ], ["unproven query  28-1.-form", "unproven query  29"]],
  ["an id after a generic path segment", [
    { request: "POST /add", form: { title: "Hi" }, ...redirect("/node/72") },
    { request: "GET /node/72", ...page("<p>Hi</p>") },
  ], ["stale path segment 2 72"]],
  ["a file that the server numbered", [
    { request: "POST /contents", json: {}, response: { path: "Untitled10.ipynb" } },
    { request: "GET /contents/Untitled10.ipynb", response: {} },
  ], ["stale path segment 2 Untitled10.ipynb"]],
  ["a numbered file that a page links to", [
    { request: "GET /docs", ...page('<a href="/docs/chapter12.html">12</a>') },
    { request: "GET /docs/chapter12.html", ...page("<p>12</p>") },
  ], []],
];

for (const [rule, calls, reported] of CASES) {
  Deno.test(`verifyPlan ${reported.length > 0 ? "reports" : "does not report"} a recorded value: ${rule}`, async () => {
    assertEquals(await reportedFor(calls), reported);
  });
}
