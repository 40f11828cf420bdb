import { assert, assertEquals, assertNotMatch, assertStringIncludes } from "@std/assert";
import {
  makeUnique,
  namesInUrl,
  undoUnique,
  uniqueTemplate,
  uniqueTexts,
} from "../../src/calibrate/make_unique.ts";
import { namesOf } from "../../src/calibrate/verdicts.ts";
import type { Request } from "../../src/plan/kinds/request.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { calibrateModel, textOf } from "../support/calibrated.ts";
import { measureCpu } from "../support/cpu_time.ts";
import type { ModelResponse } from "../support/model_app.ts";
import type { Model } from "../support/model_apps.ts";

const REQUEST: Request = {
  url: "/articles",
  body: {
    json: {
      body: "Long text",
      title: "My title",
      email: "bob@shop.example",
      file: "notes.txt",
      slug: "my-title",
      made: "Test 2026-01-15 09:30",
      password: "secret words",
      status: "draft",
      id: "${id}",
      count: 5,
      flag: "true",
    },
  },
};

const NONE_RECEIVED = { isFromServer: () => false, isSentBefore: () => false };

Deno.test("uniqueTexts lists strings that contain a time, then names, then other strings, and omits secrets", () => {
  const isFromServer = (text: string) => text === "draft";
  const found = uniqueTexts(REQUEST, { ...NONE_RECEIVED, isFromServer }).map(uniqueTemplate);
  assertEquals(found, [
    "Test ${unique}",
    "My title ${unique}",
    "bob${unique}@shop.example",
    "my-title-${unique}",
    "Long text ${unique}",
    "notes${unique}.txt",
  ]);
});

Deno.test("uniqueTexts lists the words of a protocol, which earlier requests sent, after other strings", () => {
  const json = { messages: [{ type: "sync", value: "Mint" }, { type: "event", value: "click" }] };
  const isSentBefore = (text: string) => ["sync", "event", "click"].includes(text);
  const found = uniqueTexts({ url: "/", body: { json } }, { ...NONE_RECEIVED, isSentBefore });
  assertEquals(found.map(({ text }) => text), ["Mint", "sync", "event", "click"]);
});

Deno.test("uniqueTexts omits the members of a JSON-RPC request, which are words of the protocol", () => {
  const json = { jsonrpc: "2.0", method: "Tea.filter", id: "rpc", params: [{ name: "Mint" }] };
  for (const body of [{ json }, { json: [json, json] }]) {
    const found = uniqueTexts({ url: "/", body }, NONE_RECEIVED);
    assertEquals(found.map(({ text }) => text), ["Mint"]);
  }
});

Deno.test("makeUnique needs time in proportion to the occurrences of a text", () => {
  const [unique] = uniqueTexts({ url: "/", body: { form: { name: "Black tea" } } }, NONE_RECEIVED);
  const body = "Black tea, ".repeat(20_000);
  const { result, seconds } = measureCpu(() => makeUnique({ url: "/", body }, unique));
  assertEquals(result.body, "Black tea ${unique}, ".repeat(20_000));
  assert(seconds < 2, `${seconds} s`);
});

Deno.test("makeUnique changes the text wherever the request sends it, in the matching encoding", () => {
  const [title] = uniqueTexts({ url: "/", body: { form: { title: "My title!" } } }, NONE_RECEIVED);
  const request: Request = {
    url: "/search?q=My+title!&r=My%20title!",
    headers: { "X-Note": "about My title! here" },
    body: { json: { a: "My title!", b: "My title" } },
  };
  assertEquals(makeUnique(request, title), {
    url: "/search?q=My+title!+${unique}&r=My%20title!%20${unique}",
    headers: { "X-Note": "about My title! ${unique} here" },
    body: { json: { a: "My title! ${unique}", b: "My title" } },
  });
});

Deno.test("makeUnique changes checks of a page's title so that they accept the unique text", () => {
  const [unique] = uniqueTexts({ url: "/", body: { form: { name: "Black tea" } } }, NONE_RECEIVED);
  const pattern = (title: string) => `<title>\\s*${title}\\s*<\\/`;
  const request: Request = {
    url: "/show",
    checks: [
      { type: "status", equals: 200 },
      { type: "body_matches", name: "title", pattern: pattern("Edit:\\s+Black\\s+tea") },
      { type: "body_matches", name: "other", pattern: pattern("Edit") },
    ],
  };
  const { checks } = makeUnique(request, unique);
  assertEquals(checks?.slice(2), request.checks?.slice(2));
  const loosened = checks![1] as { pattern: string };
  assertEquals(new RegExp(loosened.pattern).test("<title>Edit: Black tea x1</title>"), true);
  assertEquals(new RegExp(loosened.pattern).test("<title>Log in</title>"), false);
});

Deno.test("uniqueTexts starts with the last path segment if the request creates its URL", () => {
  const request: Request = { url: "/notes/Green%20tea/", body: { json: { title: "Tea" } } };
  const found = (createsUrl: boolean, url = request.url) => {
    const newNames = createsUrl ? namesInUrl({ ...request, url }, true) : [];
    return uniqueTexts({ ...request, url }, { ...NONE_RECEIVED, newNames }).map(uniqueTemplate);
  };
  assertEquals(found(true), ["Green tea ${unique}", "Tea${unique}"]);
  assertEquals(found(false), ["Tea${unique}"]);
  assertEquals(found(true, "/notes/${id}"), ["Tea${unique}"]);
  assertEquals(found(true, "/notes/17"), ["Tea${unique}"]);
});

Deno.test("uniqueTexts keeps the extension of a file: a known one, or that of an uploaded file", () => {
  const file = (text: string, extensions: string[] = []) => {
    const request: Request = { url: "/", body: { json: { file: text } } };
    const uploads = extensions.map((extension) => ({ name: "file", filename: `a.${extension}` }));
    const requests = [{ url: "/", body: { multipart: uploads } }] as Request[];
    const context = { ...NONE_RECEIVED, requests };
    return uniqueTexts(request, context).map(uniqueTemplate)[0];
  };
  assertEquals(file("Small kettle.PNG"), "Small kettle ${unique}.PNG");
  assertEquals(file("/teas/green-tea.gcode"), "/teas/green-tea.gcode-${unique}");
  assertEquals(file("/teas/green-tea.gcode", ["gcode"]), "/teas/green-tea-${unique}.gcode");
  assertEquals(file("Teemenü.pdf"), "Teemenü${unique}.pdf");
  assertEquals(file("kettle.news"), "kettle.news${unique}");
});

Deno.test("makeUnique changes short text in segments and query values of URLs", () => {
  const [name] = uniqueTexts({ url: "/b/teas" }, { ...NONE_RECEIVED, newNames: ["teas"] });
  const request: Request = {
    url: "/b/teas/root%2Fteas/leaves?in=teas",
    headers: { Destination: "http://shop.test/b/teas/copy", "X-Note": "teas/leaves" },
    body: {
      json: {
        path: "/b/teas?x=${x}&in=teas#teas",
        back: "index?route=/sql&in=teas&teas=",
        other: "/b/iteas/teas-2?teas=1&in=teas${x}",
        text: "/ teas",
        part: "teas${x}",
        name: "teas",
      },
    },
  };
  assertEquals(makeUnique(request, name), {
    url: "/b/teas${unique}/root%2Fteas${unique}/leaves?in=teas${unique}",
    headers: { Destination: "http://shop.test/b/teas${unique}/copy", "X-Note": "teas/leaves" },
    body: {
      json: {
        path: "/b/teas${unique}?x=${x}&in=teas${unique}#teas",
        back: "index?route=/sql&in=teas${unique}&teas=",
        other: "/b/iteas/teas-2?teas=1&in=teas${x}",
        text: "/ teas",
        part: "teas${x}",
        name: "teas${unique}",
      },
    },
  });
});

Deno.test("makeUnique writes underscores for spaces only in URLs, whose names are no choices", () => {
  const request: Request = {
    url: "/wiki/due_date?type=incident&title=Green+tea",
    body: { json: { name: "due date", type: "due_date" } },
  };
  const [name] = uniqueTexts(request, NONE_RECEIVED).filter(({ text }) => text === "due date");
  const changed = makeUnique(request, name);
  assertEquals(changed, {
    url: "/wiki/due_date_${unique}?type=incident&title=Green+tea",
    body: { json: { name: "due date ${unique}", type: "due_date" } },
  });
  assertEquals(namesInUrl(request), ["wiki", "due_date", "Green tea"]);
});

Deno.test("uniqueTexts lists the strings in a field that contains JSON, and makeUnique changes them", () => {
  const field = JSON.stringify({ value: 'Tea "A"', start: 3, kind: { "Tea": "x" } });
  const request: Request = { url: "/", body: { form: { field, other: 'Tea "A"' } } };
  const found = uniqueTexts(request, NONE_RECEIVED);
  assertEquals(found.map(uniqueTemplate), ['Tea "A" ${unique}']);
  const changed = makeUnique(request, found[0]);
  assertEquals(changed.body, {
    form: {
      field: '{"value":"Tea \\"A\\" ${unique}","start":3,"kind":{"Tea":"x"}}',
      other: 'Tea "A" ${unique}',
    },
  });
  assertEquals(undoUnique(changed, found[0]), request);
});

Deno.test("uniqueTexts lists the fields of a form in a raw body, and makeUnique changes them", () => {
  const body = "sid=${url_encode(a ?? b)}&Tea=Tea&in=/a/Tea&note=Tea%20A&=&x=Teas&y=Tea${id}";
  const request: Request = { url: "/", body };
  const found = uniqueTexts(request, NONE_RECEIVED);
  assertEquals(found.map(uniqueTemplate), [
    "Tea${unique}",
    "/a/Tea${unique}",
    "Tea A ${unique}",
    "Teas${unique}",
  ]);
  const changed = makeUnique(request, found[0]);
  assertEquals(
    changed.body,
    "sid=${url_encode(a ?? b)}&Tea=Tea${unique}&in=/a/Tea${unique}&note=Tea%20A&=&x=Teas&y=Tea${id}",
  );
  assertEquals(undoUnique(changed, found[0]), request);
  for (const other of ["Tea & in=Tea", '{"query":"in=Tea"}', '<a href="/x?in=Tea">']) {
    const raw: Request = { url: "/", body: other };
    assertEquals([uniqueTexts(raw, NONE_RECEIVED), makeUnique(raw, found[0])], [[], raw]);
  }
  assertEquals(
    makeUnique(request, found[2]).body,
    body.replace("Tea%20A", "Tea%20A%20${unique}"),
  );
});

const NAMES: readonly (readonly [text: string, request: Request, names: readonly string[]])[] = [
  ["Green tea", { url: "/green-tea/edit?page=Green_tea.txt" }, ["green-tea", "Green_tea"]],
  ["Green tea", { url: "/green-tea-2?q=a+green+tea&x=Green+tea-${unique}" }, []],
  ["Tea", { url: "/x", body: "Tea=1&y=Tea: black&z=Tea${unique}" }, ["Tea"]],
  ["Tea", { url: "/x", body: '{"Tea":"no tea","of":"name:tea"}' }, ["tea"]],
  ["Tea", { url: "/x", body: { form: { a: "https://tea.example/", b: "of/tea" } } }, ["tea"]],
];

for (const [text, request, names] of NAMES) {
  Deno.test(`namesOf finds the names ${names} of ${text}`, () => {
    const source: Request = { url: "/", body: { form: { site: "https://tea.example/" } } };
    assertEquals(namesOf(text, request, source), names);
  });
}

/** Command of a response: its name and its arguments. */
type Command = readonly [name: string, args: readonly unknown[]];

/**
 * A list of teas that all users share. The browser sends each event with status 200 in response,
 * and a list of commands that change the page. `add` returns the commands in response to a new tea.
 * `write` writes the response.
 */
function teaList(
  add: (name: string, teas: string[]) => readonly Command[],
  write: (commands: readonly Command[]) => ModelResponse = (commands) => ({
    json: { rs: commands, rid: 1 },
  }),
): Model {
  return {
    create: () => {
      const teas: string[] = [];
      return ({ method, form }) => {
        if (method !== "POST") return { html: "<html><title>Tea</title><p>Teas</p></html>" };
        return write(add(JSON.parse(form.get("data")!).value, teas));
      };
    },
    use(browser) {
      browser.send("GET", "/");
      const data = JSON.stringify({ value: "Sencha", start: 6 });
      browser.send("POST", "/events", { form: { name: "change", data } });
    },
  };
}

const ROW = (name: string): Command => ["append", ["list", { label: name }]];
const CLEAR: Command = ["set", ["field", { value: "" }]];

/** Adds a tea, unless its name exists or the list is full. */
function addNew(most = Infinity) {
  return (name: string, teas: string[]): readonly Command[] => {
    if (teas.includes(name) || teas.length >= most) {
      return [["set", ["field", { hint: "not added" }]]];
    }
    teas.push(name);
    return [ROW(name), CLEAR];
  };
}

/** Writes commands in a JavaScript literal that is not JSON. */
const asScript = (commands: readonly Command[]): ModelResponse => ({
  text: `{rs:${JSON.stringify(commands).replaceAll('"', "'").replaceAll("'list'", "{$u:'w1'}")}}`,
});

for (
  const [form, model] of [
    ["JSON", teaList(addNew())],
    ["a script", teaList(addNew(), asScript)],
  ] as const
) {
  Deno.test(`calibratePlan makes text unique if the server responds to a repeated write with other commands in ${form}`, async () => {
    const { calibration, text } = await calibrateModel(model);
    assertEquals(calibration.unique.map(({ template }) => template), ["Sencha${unique}"]);
    assert(text.includes('{\\"value\\":\\"Sencha${unique}\\",\\"start\\":6}'), text);
    assertEquals(calibration.proven, true);
  });
}

Deno.test("calibratePlan makes text unique if the server sends its last response again to a repeated request", async () => {
  const base = teaList(addNew());
  const model: Model = {
    create(seed) {
      const app = base.create(seed);
      const last = new Map<string, ModelResponse>();
      let sessions = 0;
      return (request) => {
        if (request.method === "GET") {
          return { ...app(request), cookies: [`session=s${sessions++}; Path=/`] };
        }
        const key = `${request.cookies.get("session")} ${request.headers.get("X-Sequence")}`;
        if (!last.has(key)) last.set(key, app(request));
        return last.get(key)!;
      };
    },
    use(browser) {
      browser.send("GET", "/");
      ["Sencha", "Assam"].forEach((value, i) => {
        const data = JSON.stringify({ value });
        const headers = { "X-Sequence": String(71 + i) };
        browser.send("POST", "/events", { headers, form: { name: "change", data } });
      });
    },
  };
  const { calibration, kinds } = await calibrateModel(model);
  assertEquals(calibration.unique.map(({ template }) => template).sort(), [
    "Assam${unique}",
    "Sencha${unique}",
  ]);
  assertEquals(kinds, ["as recorded", "repaired", "repaired"]);
  assertEquals(calibration.proven, true);
});

Deno.test("calibratePlan does not prove a plan if a later write gets other commands, also with unique text", async () => {
  const { calibration, kinds, text } = await calibrateModel(teaList(addNew(1)));
  assertEquals(calibration.proven, false);
  assertEquals(kinds, ["as recorded", "state"]);
  assertEquals(calibration.calls[1].differences, ["commands: only recorded: append"]);
  assertEquals(text.includes("unique"), false);
});

Deno.test("calibratePlan reports as unclear that a write always gets other commands", async () => {
  const { calibration, kinds } = await calibrateModel(teaList(addNew()), {
    live: teaList(addNew(0)).create,
  });
  assertEquals(calibration.proven, false);
  assertEquals(calibration.exceptState, false);
  assertEquals(kinds, ["as recorded", "unclear write"]);
});

Deno.test("calibratePlan detects new commands that report an error", async () => {
  const model = teaList((name, teas) => {
    teas.push(name);
    return teas.length < 2 ? [ROW(name)] : [...teas.map(ROW), ["showError", [{ text: "Full" }]]];
  });
  const { calibration } = await calibrateModel(model);
  assertEquals(calibration.proven, false);
  assertEquals(calibration.calls[1].differences, ["commands: only live: showError"]);
});

Deno.test("calibratePlan accepts more commands because of the rows of other users", async () => {
  const model = teaList((name, teas) => {
    teas.push(name);
    const pages: Command[] = teas.length > 1 ? [["page", [{ size: 1 }]]] : [];
    return [...teas.map(ROW), ...pages, CLEAR];
  });
  const { calibration, text } = await calibrateModel(model);
  assertEquals(calibration.proven, true);
  assertEquals(text.includes("unique"), false);
});

Deno.test("calibratePlan accepts a command that is missing only in some of the responses to the same write", async () => {
  let responses = 0;
  const model = teaList((name) => responses++ % 2 === 1 ? [CLEAR] : [ROW(name), CLEAR]);
  const { calibration, text } = await calibrateModel(model);
  assertEquals(calibration.proven, true);
  assertEquals(text.includes("unique"), false);
});

Deno.test("calibratePlan accepts that a poll gets the commands of another recorded poll", async () => {
  const model = (counts: readonly number[]): Model => ({
    create: () => {
      let polls = 0;
      return () => ({ json: { rs: counts[polls++] ? [ROW("Sencha"), CLEAR] : [] } });
    },
    use(browser) {
      for (let i = 0; i < 3; i++) browser.send("POST", "/events", { form: { name: "poll" } });
    },
  });
  const { calibration } = await calibrateModel(model([1, 0, 1]), { live: model([]).create });
  assertEquals(calibration.proven, true);
});

Deno.test("calibratePlan does not take the rows of a table for commands", async () => {
  const newest = { create: 1 };
  const model = teaList((name) => {
    newest.create++;
    return [[name, ["green"]], [`tea${"abcdefgh"[newest.create % 8]}`, ["black"]]];
  }, (rows) => ({ json: { rows: rows.map(([name, [kind]]) => [name, kind]) } }));
  const { calibration } = await calibrateModel(model);
  assertEquals(calibration.proven, true);
});

/** A page that saves a note. `refuse` returns the response to a request without `X-CSRF-Token`. */
const notes = (refuse: () => ModelResponse | undefined): Model => ({
  create: () => ({ method, headers }) => {
    const isRefused = method === "POST" && !headers.has("x-csrf-token");
    return (isRefused ? refuse() : undefined) ?? { json: { ok: true } };
  },
  use(browser) {
    browser.send("GET", "/notes");
    browser.send("POST", "/notes", {
      headers: { "X-CSRF-Token": "s3cr3tf1xed", "X-Tenant": "north", "Accept-Language": "de" },
      json: { text: "Tea" },
    });
  },
});

/** Removes all headers of the second request. */
function removeHeaders(plan: Plan): Plan {
  const { flow } = plan.scenarios.recorded;
  flow[1].request!.headers = undefined;
  return { ...plan, defaults: { ...plan.defaults, http: { ...plan.defaults?.http, headers: {} } } };
}

for (
  const [how, response] of [
    ["its text", { status: 403, json: { error: "x-csrf-token is required" } }],
    ["a similar word", { status: 400, text: "XSRF verification failed" }],
    ["its headers", { status: 409, headers: { "X-CSRF-Token": "Required" }, text: "" }],
    ["a refused login", { status: 401, json: { error: "Missing X-CSRF-Token" } }],
  ] as const
) {
  Deno.test(`calibratePlan names the recorded header that the plan lacks and the response names in ${how}`, async () => {
    const { calibration } = await calibrateModel(notes(() => response), { edit: removeHeaders });
    assertEquals(calibration.calls[1].unsentHeaders, { names: ["X-CSRF-Token"], areNamed: true });
    const text = textOf(calibration);
    assertStringIncludes(
      text,
      "; the response names the recorded header X-CSRF-Token, which the plan does not send",
    );
    assertNotMatch(text, /s3cr3tf1xed/);
  });
}

const OTHER_NAMES: [place: string, response: ModelResponse][] = [
  ["a token of a page", { status: 400, html: '<meta name="csrf-token"><p>Bad request</p>' }],
  ["a cookie", { status: 400, headers: { "Set-Cookie": "XSRF-TOKEN=1" }, text: "" }],
  ["headers that caches use", { status: 400, headers: { Vary: "X-Tenant" }, text: "" }],
  ["allowed headers", {
    status: 400,
    headers: { "Access-Control-Allow-Headers": "X-CSRF-Token" },
    text: "",
  }],
  ["a longer name", { status: 400, text: "X-Tenant-Id: none, no-X-Tenant" }],
];

for (const [what, response] of OTHER_NAMES) {
  Deno.test(`calibratePlan does not state that a response names a header that it names in ${what}`, async () => {
    const { calibration } = await calibrateModel(notes(() => response), { edit: removeHeaders });
    const names = ["X-CSRF-Token", "X-Tenant"];
    assertEquals(calibration.calls[1].unsentHeaders, { names, areNamed: false });
  });
}

Deno.test("calibratePlan lists all recorded headers that a refused request lacks if its response names no header", async () => {
  const refused = { status: 400, text: "Bad Request" };
  const { calibration } = await calibrateModel(notes(() => refused), { edit: removeHeaders });
  assertStringIncludes(
    textOf(calibration),
    "status 400 instead of 200; media type text/plain instead of application/json; " +
      "kind of content text instead of json; the plan does not send the recorded headers X-CSRF-Token, X-Tenant",
  );
});

Deno.test("calibratePlan does not mention recorded headers if a request without them was accepted at first", async () => {
  let count = 0;
  const model = notes(() => ++count > 1 ? { status: 410, text: "Gone" } : undefined);
  const { calibration } = await calibrateModel(model, { edit: removeHeaders });
  assertEquals(calibration.calls[1].kind, "state");
  assertNotMatch(textOf(calibration), /X-CSRF-Token|X-Tenant/);
});

Deno.test("calibratePlan does not mention headers that the plan sends", async () => {
  const model: Model = {
    ...notes(() => undefined),
    create: (seed) => ({ method }) =>
      seed > 1 && method === "POST"
        ? { status: 403, json: { error: "x-csrf-token is wrong" } }
        : { json: { ok: true } },
  };
  const { calibration } = await calibrateModel(model);
  assertEquals(calibration.calls[1].unsentHeaders, undefined);
});
