import { assert, assertEquals } from "@std/assert";
import { KnownPairs } from "../../src/correlation/known_pairs.ts";
import { compareContent } from "../../src/outcome/content.ts";
import { ResponseSnapshot } from "../../src/calibrate/recorded_side.ts";

function snapshot(mimeType: string, text: string, headers: Record<string, string> = {}) {
  return new ResponseSnapshot({
    status: 200,
    headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
    mimeType,
    text,
  });
}
const json = (value: unknown) => snapshot("application/json", JSON.stringify(value));
const page = (text: string) => snapshot("text/html", `<html><body>${text}</body></html>`);

function differences(
  recorded: ResponseSnapshot,
  live: ResponseSnapshot,
  pairs: readonly (readonly [string, string])[] = [],
): string[] {
  const known = new KnownPairs();
  for (const [recorded, live] of pairs) known.add(recorded, live);
  return compareContent({ recorded, live, known }, (text) => text.replaceAll("s3cret", "********"))
    .differences.map(({ kind, place, recorded, live }) =>
      `${kind}: ${place}: ${recorded} -> ${live}`
    );
}

Deno.test("compareContent reports emptied JSON lists and objects first, then changed words", () => {
  const recorded = { state: "open", items: [{ name: "Tea" }, { name: "Rum" }], by: { ann: 1 } };
  assertEquals(differences(json(recorded), json({ state: "shut", items: [], by: {} })), [
    "empty list: $.items: 2 items -> 0 items",
    "empty list: $.by: 1 member -> 0 members",
    "other: $.state: open -> shut",
  ]);
  assertEquals(
    differences(json({ at: "/Users/ann/Documents" }), json({ at: "/Users/Guest/Documents" })),
    ["other: $.at: /Users/ann/Documents -> /Users/Guest/Documents"],
  );
  assertEquals(differences(json([{ name: "Tea" }]), json([])), [
    "empty list: $: 1 item -> 0 items",
  ]);
  assertEquals(differences(json({ data: { rows: [1] } }), json({ data: { rows: null } })), [
    "empty list: $.data.rows: 1 item -> null",
  ]);
});

Deno.test("compareContent finds strings that became empty, missing members and changed booleans", () => {
  const recorded = { user: { role: "admin", note: "hello", active: true, team: "red" } };
  const live = { user: { role: "admin", note: "", active: false } };
  assertEquals(differences(json(recorded), json(live)), [
    "empty text: $.user.note: hello -> ",
    "other: $.user.active: true -> false",
    "other: $.user.team: red -> ",
  ]);
});

Deno.test("compareContent reports fewer list items, but not additional ones", () => {
  const [tea, rum] = [{ name: "Tea" }, { name: "Rum" }];
  assertEquals(differences(json([tea, rum]), json([rum])), ["other: $: 2 items -> 1 item"]);
  assertEquals(differences(json([tea]), json([rum, tea])), []);
  assertEquals(differences(json({ all: [] }), json({ all: [tea] })), []);
});

Deno.test("compareContent ignores the order of lists", () => {
  const [tea, rum] = [{ id: 71_001, name: "Tea" }, { id: 71_002, name: "Rum" }];
  assertEquals(differences(json([tea, rum]), json([rum, tea])), []);
  const rows = (...names: string[]) =>
    page(`<ul>${names.map((n) => `<li>${n}</li>`).join("")}</ul>`);
  assertEquals(differences(rows("Tea", "Rum", "Mate"), rows("Mate", "Tea", "Rum")), []);
});

Deno.test("compareContent ignores values that a server generates", () => {
  const pairs: [unknown, unknown][] = [
    ["2026-11-22T07:00:00Z", "2026-11-23T08:11:12.123Z"],
    ["Sun, 22 Nov 2026 07:00:00 GMT", "Mon, 30 Mar 2026 18:00:01 GMT"],
    ["3 minutes ago", "just now"],
    ["1 order", "12 orders"],
    ["k3x9qq7z", "m7w2pp4a"],
    ["deadbeef", "a1b2c3d4"],
    ["3e6c7b1a-0000-4000-8000-000000000001", "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"],
    [71_001, 82_345],
    ["script-src 'nonce-e2/qg1FgTNKM50s7vX6L9w=='", "script-src 'nonce-/HTeJ+TjeLSIzRLe7URAVw=='"],
    ["'nonce-XXuCQTcMN8XOPY+Q8PaEAQ=='", "'nonce-bMUFAx+FDiFDJJBHssrWwQ=='"],
    ["key jGhcDZCRnJjJpkGhQih2Zg", "key FkYlR8jz0hXKdiLIRtjADQ"],
    ["/files/3e6c7b1a2f.png", "/files/77ab31c9d0.png"],
  ];
  for (const [recorded, live] of pairs) {
    assertEquals(differences(json({ value: recorded }), json({ value: live })), []);
    assertEquals(differences(page(`<p>${recorded}</p>`), page(`<p>${live}</p>`)), []);
  }
  assertEquals(differences(json({ at: null }), json({ at: "2026-11-23T08:11:12.123Z" })), []);
});

Deno.test("compareContent ignores echoes of known values", () => {
  const pairs = [["Earl Grey", "Earl Grey xk3f9a2q"], ["red", "blue"]] as const;
  assertEquals(
    differences(
      json({ title: "Earl Grey", text: "Tea: Earl Grey.", color: "red" }),
      json({ title: "Earl Grey xk3f9a2q", text: "Tea: Earl Grey xk3f9a2q.", color: "blue" }),
      pairs,
    ),
    [],
  );
  assertEquals(
    differences(page("<p>Your Earl Grey</p>"), page("<p>Your Earl Grey xk3f9a2q</p>"), pairs),
    [],
  );
});

Deno.test("compareContent finds changed strings and empty lists in a page", () => {
  const rows = "<tr><td>Tea</td><td>4 kg</td></tr><tr><td>Rum</td><td>2 kg</td></tr>";
  const table = (rows: string) => `<table><tr><th>Name</th></tr>${rows}</table>`;
  assertEquals(
    differences(page(`<h1>Stock</h1>${table(rows)}`), page(`<h1>Shop</h1>${table("")}`)),
    ["empty list: <tr>: Tea 4 kg Rum 2 kg -> ", "other: <h1>: Stock -> Shop"],
  );
  // The same rows in another element only moved.
  assertEquals(differences(page(table(rows)), page(`<div>${table(rows)}</div>`)), []);
});

Deno.test("compareContent ignores additional text in a page, its scripts and its attributes", () => {
  assertEquals(
    differences(
      page('<p class="a">Tea</p><script>let tab = "first";</script>'),
      page('<p class="b">Tea</p><p>Rum</p><script>let tab = "second";</script>'),
    ),
    [],
  );
});

Deno.test("compareContent finds text that reads like a refusal", () => {
  assertEquals(differences(page("<p>Tea</p>"), page("<p>Tea</p><p>The e-mail is invalid.</p>")), [
    "refusal: text:  -> The e-mail is invalid.",
  ]);
  assertEquals(
    differences(json({ data: { errors: [] } }), json({ data: { errors: [{ at: "line 11" }] } })),
    ["refusal: text:  -> line 11"],
  );
});

Deno.test("compareContent finds changed words in lines of text and in headers", () => {
  const text = (text: string, link: string) =>
    snapshot("text/plain", text, { Link: link, ETag: link, Date: "Mon, 23 Nov 2026 08:00:00 GMT" });
  assertEquals(
    differences(
      text("id,state\n1,open\n", "</a>; rel=next"),
      text("id,state\n2,shut\n", "</a>; rel=last"),
    ),
    ["other: line 2: 1,open -> 2,shut", "other: header link: </a>; rel=next -> </a>; rel=last"],
  );
});

Deno.test("compareContent shortens long strings to the part that differs, and hides secrets", () => {
  const words = (end: string) =>
    json({ text: `${"word ".repeat(200)}${end} s3cret ${"x ".repeat(90)}` });
  const [found] = differences(words("alpha"), words("beta"));
  assertEquals(found.includes("alpha ********"), true, found);
  assertEquals(found.length < 260, true, found);
  assertEquals(differences(json({ password: "old one" }), json({ password: "new two" })), [
    "other: $.password: ******** -> ********",
  ]);
  const nested = (words: string) => json({ password: [words], secret: { text: words } });
  assertEquals(differences(nested("old one"), nested("new two")), [
    "other: $.password[0]: ******** -> ********",
    "other: $.secret.text: ******** -> ********",
  ]);
});

Deno.test("compareContent limits the number of differences", () => {
  const many = (word: string) =>
    json(Object.fromEntries(Array.from({ length: 130 }, (_, i) => [`name_${i}`, word])));
  const { differences: found, more } = compareContent(
    { recorded: many("red"), live: many("blue"), known: new KnownPairs() },
    (text) => text,
  );
  assertEquals([found.length, more], [100, 30]);
});

Deno.test("compareContent reads text in linear time", () => {
  const words = (last: string) => json({ text: "in ".repeat(100_000) + last });
  assertEquals(differences(words("red"), words("blue")).length, 1);
});

Deno.test("compareContent accepts JSON that is nested too deeply for recursion", () => {
  const nested = (inner: string) =>
    snapshot(
      "application/json",
      `{"text": "a failed word", "errors": ${"[".repeat(20_000)}${inner}${"]".repeat(20_000)}}`,
    );
  const [flat, text] = [json({ text: "no word", errors: [] }), json({ text: "b", errors: "none" })];
  const refusal = "refusal: text:  -> a failed word";
  assertEquals(differences(flat, nested("")), [refusal]);
  assertEquals(differences(text, nested("")), [refusal]);
  assertEquals(differences(nested("1"), nested('"x"')), ["refusal: text:  -> x"]);
});

Deno.test("compareContent compares other responses to the same read request only if some text reads like a refusal", () => {
  let reads = 0;
  const other = page("<p>Access denied</p>");
  const alike = [
    new Proxy(other, {
      get: (target, name) => (reads++, Reflect.get(target, name, target)),
    }),
  ];
  const differing = (text: string) =>
    compareContent(
      {
        recorded: page("<p>Welcome</p>"),
        live: page(`<p>${text}</p>`),
        known: new KnownPairs(),
        alike,
      },
      (text) => text,
    ).differences.map(({ kind }) => kind);
  assertEquals([differing("Good day"), reads], [["other"], 0]);
  assertEquals(differing("Access denied"), ["other"]);
  assertEquals(differing("Session expired"), ["refusal", "other"]);
});

Deno.test("compareContent compares policies as sets without nonces", () => {
  const policy = (text: string) => snapshot("text/plain", "a", { "Content-Security-Policy": text });
  const recorded = policy("default-src 'self'; script-src a.example 'nonce-x1' b.example");
  assertEquals(
    differences(recorded, policy("script-src b.example a.example 'nonce-y2';default-src 'self'")),
    [],
  );
  assertEquals(differences(recorded, policy("default-src 'self'; script-src a.example")).length, 1);
});

Deno.test("compareContent compares each item of a list with its own recorded item", () => {
  const cases: [recorded: unknown, live: unknown, expected: string][] = [
    [
      { orders: [{ id: 1, lines: ["kettle"] }, { id: 2, lines: ["kettle"] }] },
      { orders: [{ id: 1, lines: ["kettle"] }, { id: 2, lines: [] }] },
      "empty list: $.orders[1].lines: 1 item -> 0 items",
    ],
    [
      [{ name: "Tea", done: true }, { name: "Cup", done: true }],
      [{ name: "Tea", done: true }, { name: "Cup", done: false }],
      "other: $[1].done: true -> false",
    ],
    [
      { message: "", order: 1017 },
      { message: "Card declined", order: "none" },
      "other: $.message:  -> Card declined",
    ],
  ];
  for (const [recorded, live, expected] of cases) {
    const found = differences(json(recorded), json(live));
    assert(found.includes(expected), found.join("\n"));
  }
});

Deno.test("compareContent finds a text that stayed although the user sent another", () => {
  const pairs = [["Black tea", "Black tea x1"]] as const;
  const [named, listed] = [{ name: "Black tea" }, { all: ["Black tea"] }];
  const heading = page("<h1>Black tea</h1>");
  assertEquals(differences(json(named), json(named), pairs), [
    "earlier text: $.name: Black tea -> Black tea",
  ]);
  assertEquals(differences(heading, page("<h1>Black tea</h1><hr>"), pairs), [
    "earlier text: <h1>: Black tea -> Black tea",
  ]);
  const list = (rest: string) => page(`<ul><li>Black tea</ul>${rest}`);
  assertEquals(differences(list(""), list("<hr>"), pairs), []);
  assertEquals(differences(json(listed), json(listed), pairs), []);
});
