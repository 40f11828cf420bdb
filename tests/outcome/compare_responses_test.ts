import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { ComparedResponse } from "../../src/comparison/compared_response.ts";
import { compareResponses } from "../../src/outcome/compare_responses.ts";
import { describeDifference } from "../../src/outcome/difference.ts";
import { readMarkup } from "../../src/outcome/leaves.ts";
import { haveSameShape } from "../../src/outcome/shapes.ts";

function response(
  status: number,
  type: string,
  text: string | undefined = undefined,
  location = "",
): ComparedResponse {
  const headers = [
    ...(type ? [{ name: "Content-Type", value: type }] : []),
    ...(location ? [{ name: "location", value: location }] : []),
  ];
  return { status, headers, mimeType: type.split(";")[0], text };
}

const html = (text: string) => response(200, "text/html; charset=utf-8", text);
const json = (value: unknown) => response(200, "application/json", JSON.stringify(value));
const redirect = (location: string) => response(302, "text/html", undefined, location);
/** A response to a batch of requests, each with a status and a JSON body. */
const batch = (boundary: string, ...replies: [status: string, value: unknown][]) =>
  response(
    202,
    `multipart/mixed; boundary=${boundary}`,
    replies.map(([status, value]) =>
      `--${boundary}\r\nContent-Type: application/http\r\n\r\nHTTP/1.1 ${status}\r\n` +
      `Content-Type: application/json\r\n\r\n${JSON.stringify(value)}\r\n`
    ).join("") + `--${boundary}--\r\n`,
  );
const LOGIN = '<title>Log in</title><form method="post" action="/login"><input name="password">';

const AS_RECORDED: Record<string, [ComparedResponse, ComparedResponse]> = {
  "other values in JSON": [
    json({ id: 17, name: "a", items: [1] }),
    json({ id: 18, name: "b", items: [] }),
  ],
  "other states, counters and texts in JSON": [
    json({
      status: "active",
      code: 0,
      errors: 0,
      lastError: null,
      message: "welcome",
      state: "a1",
    }),
    json({ status: "expired", code: 7, errors: 3, lastError: "x", message: "error", state: "b2" }),
  ],
  "a list that has more pages": [
    json({ data: [{ id: 1 }], has_more: false, last: true, hasNextPage: false }),
    json({ data: [{ id: 8 }, { id: 9 }], has_more: true, last: false, hasNextPage: true }),
  ],
  "a failure that was recorded": [json({ status: "failed" }), json({ status: "error" })],
  "an optional member that is missing or added": [
    json({ data: { id: 1, user_added: { id: 5 } } }),
    json({ data: { id: 1 } }),
  ],
  "one optional member instead of another": [
    json({ data: { id: 1, deleted_at: "2026-11-20", name: "a" } }),
    json({ data: { id: 1, parent_id: "7", name: "a" } }),
  ],
  "other values in a batch": [
    batch("a1", ["201 Created", { d: { id: 7 } }], ["200 OK", []]),
    batch("b2", ["201 Created", { d: { id: 8 } }], ["200 OK", []]),
  ],
  "objects keyed by id or by name": [
    json({ data: { "a1": { size: 1 } }, users: { ada: { age: 1 } } }),
    json({ data: { "b2": { size: 1 } }, users: { existing_bob: { weight: 1 } } }),
  ],
  "an outcome that is another success": [
    json({ data: { row_created: { id: 5 } } }),
    json({ data: { row_updated: { id: 5 } } }),
  ],
  "several members instead of others": [
    json({ data: { tea_added: { id: 5 }, cup: 1 } }),
    json({ data: { tea_duplicate: { id: 5 }, pot: 1 } }),
  ],
  "outcomes of the items of a list": [
    json({ jobs: [{ status: "done" }], status: "ok" }),
    json({ jobs: [{ status: "failed" }], status: "success" }),
  ],
  "more items in an XML list": [
    response(207, "text/xml", "<all><item><id/></item></all>"),
    response(207, "text/xml", "<all><item><id/></item><item><id/><calendar/></item></all>"),
  ],
  "random ids without digits in a redirect": [
    redirect("/api/notes/V1StGXR8_Z5j"),
    redirect("/api/notes/-KXWy_LuaKEs"),
  ],
  "random ids of letters in a redirect": [
    redirect("/api/notes/V1StGXR8_Z5j"),
    redirect("/api/notes/TLMYGEUZRtaB"),
  ],
  "UUIDs whose parts may be words in a redirect": [
    redirect("/api/Orders(guid'0b5c4a17-52e1-4d30-a2f4-6b17d2a86f01')"),
    redirect("/api/Orders(guid'0b5c4a17-fade-4d30-beef-6b17d2a86f01')"),
  ],
  "random ids that contain words in a redirect and a form": [
    response(
      200,
      "text/html",
      '<form method="post" action="/interaction/4l0ayXvBJH-OYR38B8BSq">',
      "/interaction/4l0ayXvBJH-OYR38B8BSq",
    ),
    response(
      200,
      "text/html",
      '<form method="post" action="/interaction/et-Xs81kKAq2mdU0_Zop1">',
      "/interaction/et-Xs81kKAq2mdU0_Zop1",
    ),
  ],
  "members of an object that was empty": [json({}), json({ editor: { zoom: 1 } })],
  "keys that are ids": [json({ "a1b2": {}, ok: true }), json({ "c3d4": {}, ok: true })],
  "other values in a page": [
    html('<title>Order 17</title><form action="/orders/17"><input name="line-31-count">'),
    html('<title>Order 188</title><form action="/orders/188"><input name="line-47-count">'),
  ],
  "other ids and tokens in a redirect": [
    redirect("http://recorded.example/orders/17?code=abc&state=1"),
    redirect("/orders/188?state=2&code=def"),
  ],
  "an id with letters, hyphens and underscores": [
    redirect("/interaction/VRvmkINcXt2UQTHRcsT17"),
    redirect("/interaction/EGmyPu-k_rZdkQpvXwB_f"),
  ],
  "an id that starts like a slug": [
    redirect("/interaction/r-Qk2wXcXt2UQTHRcs_zg"),
    redirect("/interaction/VRvmkINcXt2UQTHRcsT17"),
  ],
  "a short id with an underscore": [
    redirect("/api/notes/Rs8k1tygX_Rs"),
    redirect("/api/notes/k4Qb-r2dLx9Z"),
  ],
  "a slug with a number to make it unique": [redirect("/posts/hello"), redirect("/posts/hello-2")],
  "another random id": [redirect("/notes/cVXAVe-4RSjK"), redirect("/notes/Rs8k1tygX_Rs")],
  "a title that was made unique": [
    html("<title>Tea drinkers | Change group</title>"),
    html("<title>Tea drinkers k3x9q | Change group</title>"),
  ],
  "a count in the title that was not recorded": [
    html("<title>Unread   - Mail</title>"),
    html("<title>Unread (3) - Mail</title>"),
  ],
  "a body that was not recorded": [response(200, "text/html"), html(LOGIN)],
  "a page that was recorded without text": [
    html("<html><title>a</title><body><script>show('some text')</script><p>7</p></body></html>"),
    html("<html><title>a</title><body></body></html>"),
  ],
  "a page that has less text": [
    html("<html><body><h1>Contacts</h1><p>Ada Lovelace</p></body></html>"),
    html("<html><body><h1>Contacts</h1></body></html>"),
  ],
  "an update of a part of a page that has no items": [
    html("<div id=list><p>some tea</p></div>"),
    html("<div id=list></div>"),
  ],
  "a response from the browser's cache": [response(304, ""), html("<p>page")],
  "the page of a redirect": [
    response(302, "text/html", "", "/a"),
    response(302, "text/plain", "moved", "/a"),
  ],
  "no recorded response": [response(0, ""), html(LOGIN)],
  "an unknown media type": [
    { status: 200, headers: [], mimeType: "x-unknown", text: undefined },
    response(200, "text/plain", "a"),
  ],
  "an icon with a title": [
    html("<title>Home</title><svg><title>Icon</title></svg>"),
    html("<svg><title>Other</title></svg><title>Home</title>"),
  ],
};

const guarded = (guard: string, value: unknown) =>
  response(200, "application/json", guard + JSON.stringify(value));

const DIFFERENT: Record<string, [ComparedResponse, ComparedResponse, string[]]> = {
  "status": [json({}), { ...json({}), status: 403 }, ["status 403 instead of 200"]],
  ...Object.fromEntries(
    ["for(;;);", "while(1);", ")]}'\n", ")]}',\n", "{} && ", "throw 1; "].map((guard) => [
      `status word in JSON after ${JSON.stringify(guard)}`,
      [
        guarded(guard, { status: "ok" }),
        guarded(guard, { status: "error" }),
        ['member `status` is "error" instead of "ok"'],
      ],
    ]),
  ),
  "a response in a batch": [
    batch("a1", ["201 Created", { d: { id: 7 } }], ["204 No Content", ""]),
    batch("b2", ["201 Created", { d: { id: 7 } }], ["404 Not Found", { error: "unknown" }]),
    ["status 404 instead of 204"],
  ],
  "the number of responses in a batch": [
    batch("a1", ["200 OK", {}], ["200 OK", {}]),
    batch("b2", ["200 OK", {}]),
    ["kind of content multipart of 1 part instead of multipart of 2 parts"],
  ],
  "media type and content": [
    json({ a: 1 }),
    html(LOGIN),
    ["media type text/html instead of application/json", "kind of content page instead of json"],
  ],
  "redirect to the login page": [
    redirect("/orders/17"),
    redirect("/login?next=%2Forders"),
    ["redirect target /login?next instead of /orders/#"],
  ],
  "redirect with an error parameter": [
    redirect("/callback?code=1&state=2"),
    redirect("/callback?error=x&state=2"),
    ["redirect target /callback?error&state instead of /callback?code&state"],
  ],
  "redirect to another page with a long name": [
    redirect("/pages/edit-your-order-here"),
    redirect("/pages/order-of-2026-is-confirmed"),
    [
      "redirect target /pages/order-of-#-is-confirmed instead of /pages/edit-your-order-here",
    ],
  ],
  "a page that lost its text": [
    html("<html><title>Ada</title><body><p>Ada Lovelace</p></body></html>"),
    html(
      "<html><title>Ada</title><body> <script>let text = 'hello';</script><p>7</p></body></html>",
    ),
    ["body without text instead of with text"],
  ],
  "a page that lost its Chinese text": [
    html("<html><body>茶</body></html>"),
    html("<!doctype html><html><body><style>p { color: red }</style></body></html>"),
    ["body without text instead of with text"],
  ],
  "a page that lost its form fields": [
    html("<html><body><input name=email></body></html>"),
    html("<html><body></body></html>"),
    ["form fields: only recorded: email"],
  ],
  "login page in place of the page": [
    html('<title>Orders</title><form action="/search"><input name="q"></form>'),
    html(LOGIN),
    [
      "page title Log in instead of Orders",
      "form actions: only recorded: GET /search; only live: POST /login",
      "form fields: only recorded: q; only live: password",
    ],
  ],
  "success that is false": [
    json({ success: true, data: 1 }),
    json({ success: false, data: 2 }),
    ["JSON value success: false instead of success: true"],
  ],
  "a status that is an error": [
    json({ status: "ok", id: 17, message: "welcome" }),
    json({ status: "error", id: 0, message: "email taken" }),
    ['member `status` is "error" instead of "ok"'],
  ],
  "a failure in the results of several actions": [
    json([{ id: 7, success: true }, { id: 8, success: true }]),
    json([{ id: 9, success: true }, { id: 9, success: false, error: "duplicate" }]),
    ["member `[1].success` is false instead of true"],
  ],
  "a result that is rejected, and its code": [
    json({ result: "accepted", code: 0 }),
    json({ result: "rejected", code: 7 }),
    ['member `result` is "rejected" instead of "accepted"', "member `code` is 7 instead of 0"],
  ],
  "a member that names another outcome": [
    json({ arguments: { "torrent-added": { id: 2, name: "teas" } }, result: "success" }),
    json({ arguments: { "torrent-duplicate": { id: 2, name: "teas" } }, result: "success" }),
    ['member `arguments` is {"torrent-duplicate": …} instead of {"torrent-added": …}'],
  ],
  "a deeper member that names another outcome, with an equal neighbor": [
    json({ data: { user: { created: true, id: 5 } } }),
    json({ data: { user: { alreadyExists: true, id: 5 } } }),
    ['member `data.user` is {"alreadyExists": …} instead of {"created": …}'],
  ],
  "a member that names an outcome without a word for a failure": [
    json({ result: { userAdded: { id: 5 } } }),
    json({ result: { userFound: { id: 5 } } }),
    ['member `result` is {"userFound": …} instead of {"userAdded": …}'],
  ],
  "an outcome in an envelope": [
    json({ data: { orderStatus: "Completed" } }),
    json({ data: { orderStatus: "ACCESS_DENIED" } }),
    ['member `data.orderStatus` is "ACCESS_DENIED" instead of "Completed"'],
  ],
  "errors where there were none": [
    json({ id: 1, errors: [], error: null }),
    json({ id: 2, errors: ["no"], error: "no" }),
    ['member `errors` is ["no"] instead of []', 'member `error` is "no" instead of null'],
  ],
  "a status code in the body": [
    json({ statusCode: 200 }),
    json({ statusCode: 403 }),
    ["member `statusCode` is 403 instead of 200"],
  ],
  "an error code": [json({ errcode: 0 }), json({ errcode: 40001 }), [
    "member `errcode` is 40001 instead of 0",
  ]],
  "errors in place of data": [
    json({ data: {} }),
    json({ errors: [] }),
    ["JSON members: only recorded: data; only live: errors"],
  ],
  "an error in place of an empty object": [
    json({}),
    json({ error: "denied" }),
    ["JSON members: only live: error"],
  ],
  "a list in place of an object": [
    json([1]),
    json({ a: 1 }),
    ["kind of content JSON object instead of JSON list"],
  ],
  "an error in an item that a list has in addition": [
    response(200, "text/xml", "<all><item><id/></item></all>"),
    response(200, "text/xml", "<all><item><id/></item><item><error/></item></all>"),
    ["XML elements: only live: error"],
  ],
  "other items in an XML list of the same length": [
    response(200, "text/xml", "<all><item><id/></item></all>"),
    response(200, "text/xml", "<all><item><code/></item></all>"),
    ["XML elements: only recorded: id; only live: code"],
  ],
  "an error element in a partial response": [
    response(
      200,
      "text/xml",
      '<?xml version="1.0"?><partial-response><changes/></partial-response>',
    ),
    response(200, "text/xml", '<?xml version="1.0"?><partial-response><error/></partial-response>'),
    ["XML elements: only recorded: changes; only live: error"],
  ],
  "an empty body": [
    response(200, "text/plain", "a"),
    response(200, "text/plain", ""),
    ["body empty instead of with content"],
  ],
};

for (const [name, [recorded, live]] of Object.entries(AS_RECORDED)) {
  Deno.test(`compareResponses accepts ${name}`, () => {
    assertEquals(compareResponses(recorded, live), []);
  });
}

for (const [name, [recorded, live, found]] of Object.entries(DIFFERENT)) {
  Deno.test(`compareResponses finds a difference: ${name}`, () => {
    assertEquals(compareResponses(recorded, live).map(describeDifference), found);
    assertEquals(compareResponses(recorded, recorded), []);
  });
}

Deno.test("compareResponses accepts a different state of a resource in the response to a read request", () => {
  const recorded = json({ success: true, data: { status: "ok", errors: [], name: "ledger" } });
  const live = json({ success: true, data: { status: "error", errors: ["no"], name: "ledger" } });
  assertEquals(compareResponses(recorded, live, true), []);
  assertEquals(compareResponses(recorded, live).map(describeDifference), [
    'member `data.status` is "error" instead of "ok"',
    'member `data.errors` is ["no"] instead of []',
  ]);
});

Deno.test("compareResponses detects that the only job failed that a read request found", () => {
  const [done, failed] = ["SUCCESS", "FAILURE"].map((status) => ({ id: 7, status }));
  assertEquals(compareResponses(json([done]), json([failed]), true).map(describeDifference), [
    'member `[0].status` is "FAILURE" instead of "SUCCESS"',
  ]);
  assertEquals(compareResponses(json([done, done]), json([done, failed]), true), []);
});

Deno.test("compareResponses detects that a read request was refused", () => {
  const recorded = json({ status: "ok", errors: [], meta: { code: 0, status: "ok" } });
  const live = json({ status: "error", errors: ["no"], meta: { code: 7, status: "denied" } });
  assertEquals(compareResponses(recorded, live, true).map(describeDifference), [
    'member `status` is "error" instead of "ok"',
    'member `errors` is ["no"] instead of []',
    "member `meta.code` is 7 instead of 0",
    'member `meta.status` is "denied" instead of "ok"',
  ]);
});

Deno.test("compareResponses lists at most five of the JSON members that only one response contains", () => {
  const many = Object.fromEntries(Array.from("abcdefgh", (name) => [name, 1]));
  assertEquals(compareResponses(json({ z: 1 }), json(many)).map(describeDifference), [
    "JSON members: only recorded: z; only live: a, b, c, d, e and 3 more",
  ]);
});

Deno.test("haveSameShape distinguishes words of the same length from random ids", () => {
  const pairs: [string, string][] = [
    ["/notes/V1StGXR8_Z5j", "/notes/unauthorized"],
    ["/notes/V1StGXR8_Z5j", "/notes/not_allowed1"],
    ["/notes/V1StGXR8_Z5j", "/notes/accessDenied"],
    ["/notes/V1StGXR8_Z5j", "/login/V1StGXR8_Z5j"],
    ["/notes/V1StGXR8_Z5j", "/notes/V1StGXR8_Z5jk?error=1"],
    ["/create-account", "/delete-account"],
    ["/invoices-2026", "/receipts-2026"],
    ["/order/confirm", "/order/payment"],
    ["/notes/TLMYGEUZRtaB", "/notes/TLMYGEUZRtaBc"],
    ["/oauth2callback", "/oauth2continue"],
    ["/oauth2callback?code=1", "/oauth2denied?code=1"],
    ["/step1confirm", "/step2rejected"],
    ["/mp3player", "/mp4video"],
  ];
  for (const [recorded, live] of pairs) {
    assertEquals(haveSameShape(recorded, live), false, `${recorded} ${live}`);
  }
});

Deno.test("haveSameShape accepts names that differ only in a number", () => {
  assertEquals(haveSameShape("/step1confirm", "/step2confirm"), true);
  assertEquals(haveSameShape("/oauth2callback/7f3a", "/oauth2callback/8e2b"), true);
});

Deno.test("haveSameShape accepts nearly all pairs of random ids", () => {
  const characters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz-";
  for (const [length, most] of [[12, 25], [21, 1]]) {
    const id = fc.string({
      unit: fc.constantFrom(...characters),
      minLength: length,
      maxLength: length,
    });
    const pairs = fc.sample(fc.tuple(id, id), { numRuns: 5_000, seed: 1 });
    const different = pairs.filter(([one, other]) =>
      !haveSameShape(`https://a.example/notes/${one}`, `/notes/${other}`)
    );
    assertEquals(different.length <= most, true, different.join(" "));
  }
});

Deno.test("readMarkup returns short paths for deeply nested pages with long element names", () => {
  const names = Array.from({ length: 200 }, (_, i) => `x${i}${"y".repeat(5_000)}`);
  const texts = readMarkup(names.map((name) => `<${name}>text`).join(""), false).leaves;
  assertEquals(texts.length, names.length);
  assert(texts.every(({ path }) => path.length < 1_100), `${texts.at(-1)?.path.length}`);
  assertEquals(readMarkup("<html><body><p>Hello", false).leaves[0].path, "html/body/p");
});

Deno.test("readMarkup keeps the text of an element whole that contains entities", () => {
  const texts = (page: string) => readMarkup(page, false).leaves.map(({ text }) => text);
  assertEquals(texts("<p>Why don&#8217;t you &amp; I <a>go</a> home?"), [
    "Why don’t you & I",
    "go",
    "home?",
  ]);
});
