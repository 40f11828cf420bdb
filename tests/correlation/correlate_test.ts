import { assert, assertEquals } from "@std/assert";
import { Assigner } from "../../src/correlation/assign.ts";
import { chooseSource, divideUses } from "../../src/correlation/choose_source.ts";
import { correlate } from "../../src/correlation/correlate.ts";
import { Referers } from "../../src/correlation/pieces.ts";
import { SessionEvidence } from "../../src/correlation/session_evidence.ts";
import { recordedStep, sharedValues } from "../../src/correlation/shared_values.ts";
import { SourceExtractors } from "../../src/correlation/source_extractors.ts";
import { SourceWeigher } from "../../src/correlation/weigh_sources.ts";
import { splitCalls } from "../../src/traffic/session/recorded_call.ts";
import { type CaseCall, recordingOf } from "../convert/har/recorded_case.ts";
import { measureCpu } from "../support/cpu_time.ts";

/** Finds the values of a recording in all kinds of sources. */
function found(calls: readonly CaseCall[]) {
  const split = splitCalls(recordingOf(calls).exchanges);
  return correlate(split.map(recordedStep), { jsonOnly: false, explain: false });
}

/** Formats a variable as its value, its source and its uses. */
function listed(calls: readonly CaseCall[]): string[] {
  return found(calls).variables.map(({ value, candidate, sent }) =>
    `${value} from ${candidate.producer.order} to ${
      sent.map(({ call, field }) => `${call.order} ${field.kind}`).join(", ")
    }`
  );
}

const page = (text: string) => ({ type: "text/html", text });

for (
  const [why, calls, expected] of [
    ["a piece of a link, a header and a body", [
      { request: "GET /a", response: { ref: "q7Zk2Xw9" } },
      {
        request: "GET /b/q7Zk2Xw9",
        headers: { "X-Ref": "v1 q7Zk2Xw9" },
        json: { x: "a-q7Zk2Xw9" },
      },
    ], ["q7Zk2Xw9 from 0 to 1 path, 1 header, 1 json"]],
    ["the longest of several pieces", [
      { request: "GET /a", response: { a_id: "k3J9x2M4", b_id: "k3J9x2M4-q8W1" } },
      { request: "GET /b/k3J9x2M4-q8W1" },
    ], ["k3J9x2M4-q8W1 from 0 to 1 path"]],
    ["the name of a JSON member", [
      { request: "GET /state", response: { state: { "48213907": { caption: "Save" } } } },
      { request: "POST /click/48213907" },
    ], ["48213907 from 0 to 1 path"]],
    ["a decoded form of a text in a page", [
      { request: "GET /", ...page('<a href="/x?t=q7Zk2Xw9%2Fa%3D&amp;n=1">Next</a>') },
      { request: "POST /x", form: { t: "q7Zk2Xw9/a=" } },
    ], ["q7Zk2Xw9/a= from 0 to 1 form"]],
    ["a value in JSON rather than the same value in an earlier page", [
      { request: "GET /", ...page('<meta name="csrf-token" content="q7Zk2Xw9fR3m">') },
      { request: "GET /session", response: { csrfToken: "q7Zk2Xw9fR3m" } },
      { request: "POST /login", headers: { "X-CSRF-Token": "q7Zk2Xw9fR3m" } },
    ], ["q7Zk2Xw9fR3m from 1 to 2 header"]],
    ["a short id after the first letter of its resource", [
      { request: "POST /posts", json: {}, response: { post: { topic_id: 41, likes: 41 } } },
      { request: "GET /t/41.json", response: { title: "Tea" } },
      { request: "GET /t/tea/41" },
    ], ["41 from 0 to 1 path, 2 path"]],
    ["no number of one digit after a letter, as of a page or a category", [
      { request: "POST /cart", json: {}, response: { product_id: 2, customer_id: 5 } },
      { request: "GET /p/2" },
      { request: "GET /c/5/teas" },
    ], []],
    ["the id of the user who logged in, but not that of an account of the user", [
      {
        request: "POST /sessions",
        json: { email: "ada@mail.example", password: "secret" },
        response: { data: { id: 3, name: "Ada", accounts: [{ id: 4 }] } },
      },
      { request: "POST /tickets", json: { assignee_id: 3, owner: 3, priority_id: 3 } },
      { request: "POST /tickets", json: { reporter_id: 4, user_role_id: 3, author_type: 3 } },
    ], ["3 from 0 to 1 json, 1 json"]],
    ["a short id before a title that the write sent", [
      { request: "POST /posts", json: { title: "Oolong teas" }, response: { id: 7 } },
      { request: "GET /posts/7-oolong-teas" },
    ], ["7 from 0 to 1 path"]],
    ["a short id before a title in other letters or with other words", [
      { request: "POST /posts", json: { title: "Grüner Tee" }, response: { id: 7 } },
      { request: "GET /posts/7-gruner-tee" },
      { request: "POST /cups", json: { title: "Зелёный чай" }, response: { id: 8 } },
      { request: "GET /cups/8-zelenyj-chaj" },
      { request: "POST /pots", json: { title: "Tea & milk" }, response: { id: 9 } },
      { request: "GET /pots/9-tea-and-milk" },
    ], ["7 from 0 to 1 path", "8 from 2 to 3 path", "9 from 4 to 5 path"]],
    ["an id of one digit after a letter in a write, or after a title that its own write returned", [
      { request: "POST /posts", json: {}, response: { topic_id: 7, topic_slug: "green-tea" } },
      { request: "GET /t/green-tea/7" },
      { request: "PUT /t/7/status", json: { status: "closed" } },
    ], ["7 from 0 to 1 path, 2 path"]],
    ["no number that begins another title", [
      { request: "POST /posts", json: { title: "Oolong teas" }, response: { id: 7 } },
      { request: "GET /posts/7-kettles" },
    ], []],
    ["an id in the response to a write, but no equal quantity", [
      { request: "POST /order/onchange", json: {}, response: { value: { pricelist: { id: 4 } } } },
      { request: "POST /order/save", json: { values: { pricelist_id: 4, lines: [{ qty: 4 }] } } },
    ], ["4 from 0 to 1 json"]],
    ["a counter in a redirect, but no link of a page", [
      { request: "GET /app", status: 302, response_headers: { Location: "/app/3" } },
      { request: "GET /app/3", ...page('<a href="/help/5">Help</a>') },
      { request: "GET /help/5" },
    ], ["3 from 0 to 1 path"]],
    ["nothing that the client sent first", [
      { request: "PUT /drafts/q7Zk2Xw9", response: { id: "q7Zk2Xw9" } },
      { request: "GET /drafts/q7Zk2Xw9" },
    ], []],
    ["no words and no names of programs", [
      { request: "GET /", ...page('<a href="/admin/edit.php?mode=advanced">Edit</a>') },
      { request: "GET /admin/edit.php?mode=advanced" },
    ], []],
    ["the number, but not the program, in a redirect after a write", [
      {
        request: "POST /teas/edit.pl",
        form: { op: "insert" },
        status: 302,
        response_headers: { Location: "/teas/moretea.pl?teanumber=48213" },
      },
      { request: "GET /teas/moretea.pl?teanumber=48213" },
    ], ["48213 from 0 to 1 query"]],
    ["no part of a longer number or word", [
      { request: "GET /a", response: { order_id: 48213 } },
      { request: "GET /b/482130/a48213/148213" },
    ], []],
    ["the field with the same long value as the name of another one", [
      { request: "POST /teas", form: { "faces.source": "form:save", name: "Sencha faces" } },
      {
        request: "GET /teas",
        ...page(
          '<table><tr><td>House</td><td><button id="form:teas:0:del">X</button></td></tr><tr>' +
            '<td>Sencha faces</td><td><button id="form:teas:1:del">X</button></td></tr></table>',
        ),
      },
      {
        request: "POST /teas",
        form: { "faces.source": "form:teas:1:del", "form:teas:1:del": "form:teas:1:del" },
      },
    ], ["form:teas:1:del from 1 to 2 form, 2 form, 2 name"]],
    ["no port of an origin", [
      {
        request: "GET http://shop.test:8080/login",
        status: 302,
        response_headers: {
          Location: "http://shop.test:8080/cb?iss=http%3A%2F%2Fshop.test%3A8080%2Fid&code=q7Zk2Xw9",
        },
      },
      {
        request:
          "GET http://shop.test:8080/cb?iss=http%3A%2F%2Fshop.test%3A8080%2Fid&code=q7Zk2Xw9",
      },
    ], ["q7Zk2Xw9 from 0 to 1 query"]],
    ["the password of a URL, which is no port", [
      { request: "GET /account", response: { password: "48213907", key: "71q4-zR8w" } },
      {
        request: "POST /mirrors",
        json: { from: "ftp://ada:48213907@files.test", to: "ftp://ada:71q4-zR8w@files.test" },
      },
    ], ["48213907 from 0 to 1 json", "71q4-zR8w from 0 to 1 json"]],
    ["no switch of a form", [
      { request: "GET /reminders", ...page("") },
      { request: "POST /reminders", form: { name: "Assam" }, status: 204 },
      { request: "GET /reminders", ...page('<input name="update-reminders" value="1">') },
      { request: "POST /reminders", form: { "update-reminders": "1" } },
    ], []],
    ["no number that only its position in a list identifies", [
      { request: "GET /user", response: { groups: [1, 2] } },
      { request: "POST /parties", json: { name: "Assam" }, response: { id: 2 } },
      { request: "GET /parties/2" },
      { request: "POST /user", json: { groups: [2] } },
    ], ["2 from 1 to 2 path"]],
    ["the id that a header returns, although another field of the request sent the number", [
      {
        request: "POST /teas",
        form: { teaRights: "1" },
        response_headers: { "X-Ajax-Redirect": "/show?tea_id=1" },
      },
      { request: "GET /show?tea_id=1" },
    ], ["1 from 0 to 1 query"]],
    ["no short option of a redirect", [
      {
        request: "GET /login",
        status: 302,
        response_headers: { Location: "/auth?challenge_method=S256" },
      },
      { request: "GET /auth?challenge_method=S256" },
    ], []],
    ["no word under an id-like name that is sent under another name", [
      { request: "GET /login", response: { prompts: [{ id: "password", label: "Password" }] } },
      { request: "POST /token", form: { grant_type: "password" } },
    ], []],
    ["no word with a digit in the name of a field", [
      { request: "GET /info", response: { providers: [{ id: "google" }, { id: "oauth2" }] } },
      { request: "POST /clients", json: { "oauth2.device.enabled": false } },
    ], []],
    ["no word with a digit in a script", [
      { request: "GET /calendar", ...page("<a onclick=\"list.filteredBy('view_next7')\">") },
      { request: "GET /events?filter=view_next7" },
    ], []],
    ["no word that a request also sends in its path", [
      { request: "GET /contacts", ...page('<script>var data={"id":"personal"}</script>') },
      { request: "POST /contacts/personal/view", json: { a: 1 }, response: { id: "personal" } },
      { request: "POST /contacts/personal/save", json: { pid: "personal" } },
    ], []],
    ["no digit that a script sends under the name of a format", [
      { request: "POST /tea/add", status: 302, response_headers: { Location: "/tea/3" } },
      { request: "POST /tea/import", form: { ajax: "3" } },
      { request: "POST /tea/move", form: { parent: "3" } },
    ], ["3 from 0 to 2 form"]],
    ["no digit of a text without a name, such as a version", [
      { request: "GET /r/new", ...page("<script>var version = [8, 1, 0]</script>") },
      { request: "POST /cups", json: { name: "Blue" }, response: { cup: { id: 1 } } },
      { request: "GET /r/1/cups/1" },
    ], ["1 from 1 to 2 path"]],
    ["the digit in a link from the write that created the object, not one of an earlier page", [
      { request: "GET /r/new", ...page('<script>var shop = {"id": 1}</script>') },
      { request: "POST /cups", json: { a: 2 }, response: { url: "/r/1/", cup: { id: 1 } } },
      { request: "GET /r/1/cups/1" },
    ], ["1 from 1 to 2 path", "1 from 1 to 2 path"]],
    ["the first ids of two resources, one of which has the word of the other in its name", [
      { request: "POST /tea-orders", json: { a: 2 }, response: { tea_order: { id: 1 } } },
      { request: "POST /tea-orders/1/teas", json: { a: 3 }, response: { tea: { id: 1 } } },
      { request: "GET /tea-orders/1/teas/1" },
    ], ["1 from 0 to 1 path, 2 path", "1 from 1 to 2 path"]],
    ["no digit of a link whose path names another resource than the member around the link", [
      {
        request: "POST /orders",
        json: { a: 2 },
        response: { order: { id: 1, links: { cups: { href: "/orders/1/cups/" } } } },
      },
      { request: "GET /orders/1/cups/1" },
    ], ["1 from 0 to 1 path"]],
    ["the value of an option by the text that the user typed", [
      { request: "POST /teas", form: { name: "Green tea" }, status: 204 },
      {
        request: "GET /import",
        ...page(
          '<select name="item"><option value="">-</option><option value="static:9">Black tea' +
            '</option><option value="static:1">Green tea</option></select>',
        ),
      },
      { request: "POST /import", form: { item: "static:1" } },
    ], ["static:1 from 1 to 2 form"]],
    ["no value of an option whose text the user did not type", [
      {
        request: "GET /import",
        ...page(
          '<select name="item"><option value="">-</option>' +
            '<option value="static:1">Green tea</option></select>',
        ),
      },
      { request: "POST /import", form: { item: "static:1" } },
    ], []],
    ["the value of an option in a part of a page within XML", [
      { request: "POST /suppliers", form: { name: "Hill" }, status: 204 },
      {
        request: "POST /teas/new",
        type: "text/xml",
        text: '<partial-response><update id="s"><![CDATA[<select name="supplier"><option ' +
          'value="856">Garden</option><option value="861">Hill</option></select>]]></update>' +
          "</partial-response>",
      },
      { request: "POST /teas", form: { supplier: "861" } },
    ], ["861 from 1 to 2 form"]],
    ["equal ids in the links to the paths of two requests, in markup in JSON", [
      { request: "POST /teas", form: { name: "Green tea" }, status: 204 },
      { request: "POST /cups", form: { name: "Large cup" }, status: 204 },
      { request: "GET /teas", response: { html: '<li><a href="/teas/chosen/1/">Green tea</a>' } },
      { request: "GET /teas/chosen/1/" },
      { request: "GET /cups", response: { html: '<li><a href="/cups/chosen/1/">Large cup</a>' } },
      { request: "GET /cups/chosen/1/" },
    ], ["1 from 2 to 3 path", "1 from 4 to 5 path"]],
    ["a name with a number, also where no word before it names its resource", [
      { request: "POST /forums", form: { title: "Green teas" }, status: 204 },
      { request: "GET /forums", ...page('<li><a href="/forum/2-green-teas">Green teas</a>') },
      { request: "GET /forum/2-green-teas", ...page('<a href="/2-green-teas/topic/new">New</a>') },
      { request: "GET /2-green-teas/topic/new" },
    ], ["2-green-teas from 1 to 2 path, 3 path"]],
    ["a 1 in the names of fields that the path of the request has as an id", [
      { request: "POST /docs", form: { title: "Green tea" }, response: { doc_id: 1 } },
      { request: "POST /docs/1", form: { "doc-1-title": "Green tea", "doc-1-tags": "" } },
    ], ["1 from 0 to 1 path, 1 name, 1 name"]],
    ["the id of a resource, not the equal id of one whose name begins like it", [
      { request: "GET /builders", response: { builders: [{ builderid: 2, name: "kettle" }] } },
      { request: "GET /builders/2" },
      { request: "GET /builds", response: { builds: [{ buildid: 2, number: 4 }] } },
      { request: "GET /builds/2" },
    ], ["2 from 0 to 1 path", "2 from 2 to 3 path"]],
    ["the id of a resource, not its equal number", [
      { request: "GET /builds", response: { builds: [{ number: 2, id: 7, buildid: 2 }] } },
      { request: "GET /builds/2", response: { at: { build: 2 } } },
      { request: "GET /sets?of_buildid=2" },
    ], ["2 from 0 to 1 path, 2 query"]],
    ["the id in an object that a request sends back, not the equal id of another object", [
      { request: "POST /groups", json: { name: "Green teas" }, response: { id: 1, key: "k3J9x2" } },
      {
        request: "POST /upload",
        json: { a: 2 },
        response: { id: 1, documentId: "ffqt40xsaa9pyid43y8xoczj" },
      },
      {
        request: "PUT /teas/new",
        json: {
          photo: { id: 1, documentId: "ffqt40xsaa9pyid43y8xoczj" },
          groups: [{ id: 1, key: "k3J9x2" }],
        },
      },
    ], [
      "1 from 0 to 2 json",
      "k3J9x2 from 0 to 2 json",
      "1 from 1 to 2 json",
      "ffqt40xsaa9pyid43y8xoczj from 1 to 2 json",
    ]],
    [
      "a digit in the row with the text that the user typed, after a drawing with many such digits",
      [
        { request: "POST /teas", form: { name: "Green tea" }, status: 204 },
        {
          request: "GET /teas",
          ...page(
            Array.from({ length: 300 }, (_, i) => `<path d="M${i} 2V${i}">`).join("") +
              '<table><tr><td>Green tea<td><a href="/teas/drop/2/">Drop</a></tr></table>',
          ),
        },
        { request: "POST /teas/drop/2/" },
      ],
      ["2 from 1 to 2 path"],
    ],
    ["a whole state of a component with a checksum, although it contains words", [
      {
        request: "POST /update",
        json: { call: "open" },
        response: {
          snapshot: '{"data":{"name":"Black tea"},"checksum":"0cc175b9c0f1b6a831c399e269772661"}',
        },
      },
      {
        request: "POST /update",
        json: {
          snapshot: '{"data":{"name":"Black tea"},"checksum":"0cc175b9c0f1b6a831c399e269772661"}',
        },
      },
    ], [
      '{"data":{"name":"Black tea"},"checksum":"0cc175b9c0f1b6a831c399e269772661"} from 0 to 1 json',
    ]],
    ["the id of the only item that the response before a request offers", [
      { request: "POST /groups", form: { name: "Kitchens" }, status: 204 },
      { request: "GET /search?q=Kitch", response: { result: [{ name: "Kitchens", id: "20" }] } },
      { request: "POST /hosts", form: { host: "Kettle", "in[0]": "20" } },
    ], ["20 from 1 to 2 form"]],
    ["no id of an offered item that several fields equal", [
      { request: "POST /groups", form: { name: "Kitchens" }, status: 204 },
      { request: "GET /search?q=Kitch", response: { result: [{ name: "Kitchens", id: "20" }] } },
      { request: "POST /hosts", form: { host: "Kettle", "in[0]": "20", port: "20" } },
    ], []],
  ] as const
) {
  Deno.test(`correlate finds ${why}`, () => assertEquals(listed(calls), [...expected]));
}

for (
  const [email, expression] of [
    ["ada@tea.example", "$.channels[0].id"],
    ["lovelace", "$.channels[0].id"],
    ["admin", "$.channels[?@.name=='admin_main'].id"],
  ]
) {
  Deno.test(`correlate does not find a row by the name of the user who logged in: ${email}`, () => {
    const { variables } = found([
      { request: "POST /login", json: { email, password: "s3cret-18" } },
      { request: "GET /me", response: { channels: [{ id: 8143, name: `${email}_main` }] } },
      { request: "POST /films", json: { channel: 8143 } },
    ]);
    assertEquals(
      variables.map(({ extractor: { name: _, ...rest } }) => rest),
      [{ type: "jsonpath", expression }],
    );
  });
}

Deno.test("correlate takes a name from its member rather than from a link to the object", () => {
  const [name, typed] = ["registry-7ee6b", "tea-shop"];
  const { variables } = found([
    {
      request: "POST /secret",
      json: { in: typed, prefix: "registry-" },
      response: { self: `http://tea.test/secret/${typed}/${name}`, metadata: { name } },
    },
    { request: "POST /teas", json: { pull: [{ name }] }, status: 204 },
    { request: `DELETE /secret/${typed}/${name}` },
  ]);
  assertEquals(
    variables.map(({ extractor: { name: _, ...rest } }) => rest),
    [{ type: "jsonpath", expression: "$.metadata.name" }],
  );
});

Deno.test("correlate finds a row by a text of an uploaded file rather than by its position", () => {
  const [spoon, kettle] = ["3790-6B0C5380-3", "3790-6B0C5380-1"];
  const { variables } = found([
    {
      request: "POST /contacts/import",
      multipart: { file: "BEGIN:VCARD\nFN:Small Spoon\nEND:VCARD\n" },
      filename: "spoon.vcf",
      status: 204,
    },
    {
      request: "GET /contacts",
      response: {
        ids: [kettle, spoon],
        headers: [["c_cn", "id", "n"], ["Grace Kettle", kettle, ""], ["Small Spoon", spoon, ""]],
      },
    },
    { request: "POST /contacts/batchDelete", json: { uids: [spoon] } },
  ]);
  assertEquals(variables.map(({ extractor: { name: _, ...rest } }) => rest), [
    { type: "jsonpath", expression: "$.headers[*][1]", row: "Small Spoon" },
  ]);
});

for (
  const [what, search, name, from] of [
    ["joins what the user typed", "", "Ada Byron", 1],
    [
      "joins what the user typed, in the list that the user searched",
      "?find=Byron",
      "Ada Byron",
      2,
    ],
    ["joins it with a number", "", "Ada Byron 7", undefined],
  ] as const
) {
  Deno.test(`correlate finds a row by a text that ${what}`, () => {
    const list = {
      people: [{ id: 31, name: "Alan Kay" }, { id: 32, name }, { id: 33, name: "Zoe" }],
    };
    const { variables } = found([
      { request: "POST /people", form: { first: name.split(" ")[0], last: "Byron" }, status: 204 },
      { request: "GET /people", response: list },
      { request: `GET /people${search}`, response: list },
      { request: "DELETE /people/32" },
    ]);
    const [{ candidate: { producer, located } }] = variables;
    assertEquals(producer.order, from ?? 1);
    assertEquals("row" in located ? located.row : undefined, from && name);
  });
}

const ROWS: Readonly<Record<string, readonly [CaseCall[], Record<string, unknown>[], string?]>> = {
  "a text that was typed as one rather than one that joins others": [
    [{ request: "POST /people", json: { name: "Ada", city: "Berlin", country: "Germany" } }],
    [{ place: "Oslo, Norway", id: 31, name: "Bo" }, {
      place: "Berlin, Germany",
      id: 32,
      name: "Ada",
    }],
    "Ada",
  ],
  "no sentence with typed words": [
    [
      { request: "POST /boxes", json: { name: "Pantry" } },
      { request: "POST /things", json: { name: "Kettle" } },
    ],
    [{ id: 31, text: "Tea" }, { id: 32, text: "Kettle was moved to Pantry just now" }],
  ],
  "a typed text with the name of the user": [
    [
      { request: "POST /login", form: { user: "alice", password: "secret-1" } },
      { request: "POST /people", json: { title: "lunch with alice" } },
    ],
    [{ id: 31, title: "Tea" }, { id: 32, title: "lunch with alice" }],
    "lunch with alice",
  ],
};

for (const [what, [writes, people, row]] of Object.entries(ROWS)) {
  Deno.test(`correlate finds a row by ${what}`, () => {
    const { variables } = found([
      ...writes,
      { request: "GET /people", response: { people } },
      { request: "DELETE /people/32" },
    ]);
    const [{ candidate: { located } }] = variables;
    assertEquals("row" in located ? located.row : undefined, row);
  });
}

Deno.test("correlate does not leave the page of an object for a search", () => {
  const cart = { id: 32, name: "Weekend tea" };
  const { variables } = found([
    { request: "POST /carts", json: { name: "Weekend tea" }, status: 204 },
    { request: "GET /carts/current", response: cart },
    { request: "GET /search?q=Weekend", response: [cart] },
    { request: "DELETE /carts/32" },
  ]);
  assertEquals(variables.map(({ candidate: { producer } }) => producer.order), [1]);
});

Deno.test("correlate finds a button of a row by a text of the row on the latest page", () => {
  const teas = (...names: string[]) =>
    page(
      `<button id="find">${
        names.map((name, i) =>
          `<tr><td>ada1<td>${name}<td><button id="list:${i}:drop" name="list:${i}:drop"></tr>`
        ).join("")
      }`,
    );
  const { variables } = found([
    { request: "POST /login", form: { "in:user": "ada1", "in:password": "a-word" }, status: 204 },
    { request: "POST /teas", form: { name: "Mint" }, ...teas("Mint") },
    { request: "POST /teas", form: { name: "Assam" }, ...teas("Mint", "Assam") },
    { request: "GET /teas?q=Assam", ...teas("Assam") },
    { request: "POST /teas", form: { source: "list:0:drop", "list:0:drop": "list:0:drop" } },
  ]);
  assertEquals(
    variables.map(({ candidate: { producer, located }, sent }) => ({
      producer: producer.order,
      sent: sent.map(({ field }) => field.kind).sort(),
      ...located,
    })),
    [{
      producer: 3,
      sent: ["form", "form", "name"],
      type: "boundary",
      left: 'id="',
      right: '"',
      row: "Assam",
    }],
  );
});

for (
  const [what, left, action, sent, expected] of [
    ["a command", "javascript:__doPostBack(&#39;g$", "$drop&#39;)", {
      request: "POST /teas",
      form: { __EVENTTARGET: "g$1$drop" },
    }, { type: "boundary", left: "39;", right: "&" }],
    ["a link with the number of a page", "./teas?1-1.-rows-", "-drop", {
      request: "GET /teas?1-1.-rows-1-drop",
    }, { type: "boundary", left: "teas?", right: '"' }],
  ] as const
) {
  Deno.test(`correlate finds ${what} of a row by the text that the write before it sent`, () => {
    const rows = (...names: string[]) =>
      page(
        names.map((name, i) => `<tr><td>${name}<td><a href="${left}${i}${action}">Drop</a></tr>`)
          .join(""),
      );
    const { variables } = found([
      { request: "GET /teas", ...rows("Old") },
      { request: "POST /teas", form: { name: "Mint" }, ...rows("Old", "Mint") },
      sent,
    ]);
    assertEquals(
      variables.map(({ candidate: { located } }) => located),
      [{ ...expected, row: "Mint" }],
    );
  });
}

Deno.test("correlate takes a version from the form that the request sends, also if many requests send this number", () => {
  const form = (version = "1") =>
    page(`<form method=post><input type=hidden name=version value="${version}"></form>`);
  const edit = (name: string, version = "1"): CaseCall[] => [
    { request: `GET /wiki/${name}?do=edit`, ...form(version) },
    {
      request: `POST /wiki/${name}`,
      headers: { Referer: `https://app.example/wiki/${name}?do=edit` },
      form: { version, text: "Warm the pot." },
      status: 303,
    },
  ];
  const calls = [
    ...Array.from(
      { length: 5 },
      (_, i): CaseCall => ({ request: `GET /wiki/Start${i}x`, ...form() }),
    ),
    ...Array.from({ length: 70 }, (): CaseCall => ({ request: "GET /news?page=1" })),
    ...edit("Kettle"),
    ...edit("Spoon"),
    ...edit("Whistle", "0"),
  ];
  assertEquals(listed(calls), [
    "1 from 75 to 76 form",
    "1 from 77 to 78 form",
    "0 from 79 to 80 form",
  ]);
});

Deno.test("correlate takes the link of a row from the last response that shows it", () => {
  const rows = (...names: string[]) =>
    page(
      names.map((name, i) =>
        `<tr><td>${name}<td><a href="./teas?1-1.-rows-${i}-drop">Drop</a></tr>`
      ).join(""),
    );
  const { variables } = found([
    { request: "POST /teas", form: { name: "Mint" }, ...rows("Old", "Mint") },
    { request: "POST /teas?1-1.-find", form: { words: "Mint" }, ...rows("Mint") },
    { request: "GET /teas?1-1.-rows-0-drop" },
  ]);
  assertEquals(
    variables.map(({ candidate: { producer, located } }) => [producer.order, located]),
    [[1, { type: "boundary", left: "teas?", right: '"', row: "Mint" }]],
  );
});

Deno.test("correlate takes a value that an extractor finds in two responses for a constant", () => {
  const [list, item] = splitCalls(
    recordingOf([
      { request: "GET /a", response: { a_id: "k3J9x2M4" } },
      { request: "GET /b/k3J9x2M4" },
    ]).exchanges,
  );
  const { response } = list.exchange;
  const options = { jsonOnly: false, explain: false };
  const variables = (other: string) =>
    correlate([
      { call: list, responses: [response, { ...response, text: `{"a_id":"${other}"}` }] },
      recordedStep(item),
    ], options).variables.length;
  assertEquals([variables("k3J9x2M4"), variables("q7Zk2Xw9")], [0, 1]);
});

const text = (seed: number, length: number) => {
  let state = seed + 1;
  return Array.from({ length }, () => {
    state = Math.imul(state, 48_271) % 2_147_483_647;
    return (state >>> 8 & 15).toString(16);
  }).join("");
};

/** Recordings whose size grows with `n`, and that a search for each value would take long for. */
const GROWING: Readonly<Record<string, (n: number) => CaseCall[]>> = {
  "equal requests": (n) =>
    Array.from({ length: n * 5 }, () => ({
      request: "GET /items/4003?state=open",
      headers: { "X-Token": text(1, 32) },
      response: { items: Array.from({ length: 9 }, (_, i) => ({ id: 4000 + i, state: "open" })) },
    })),
  "tokens without a source": (n) =>
    Array.from({ length: n / 10 }, (_, i) => ({
      request: `POST /x${i}`,
      json: Array.from({ length: 100 }, (_, k) => text(i * 100 + k, 24)),
      response: { ids: Array.from({ length: 100 }, (_, k) => text(-i * 100 - k, 24)) },
    })),
  "a large inline script": (n) => [
    {
      request: "GET /",
      ...page(
        `<script>var token="${text(1, 32)}";${
          Array.from({ length: n * 60 }, (_, i) => `f["k${i}"]='\\u00e9 ${text(i, 20)}';`).join(
            "\n",
          )
        }</script>`,
      ),
    },
    { request: "POST /a", form: { token: text(1, 32) } },
  ],
  "a response of many ids": (n) => [
    {
      request: "GET /list",
      response: Array.from({ length: n * 40 }, (_, i) => ({ id: 100_000 + i, ref: text(i, 12) })),
    },
    ...Array.from({ length: 50 }, (_, i) => ({ request: `GET /items/${100_000 + i * 7}` })),
  ],
};

for (const [what, create] of Object.entries(GROWING)) {
  Deno.test(`correlate takes linear time for ${what}`, () => {
    const time = (n: number) => {
      const calls = create(n);
      return measureCpu(() => found(calls)).seconds;
    };
    time(100);
    const [small, large] = [100, 800].map(time);
    // Eight times the time for eight times the size; 64 times as much if it were quadratic.
    assert(large < 24 * small + 0.3, `${small} s, and ${large} s for eight times the size`);
  });
}

Deno.test("correlate explains a value that is equal in two recordings as a constant, with its source", () => {
  const calls = () =>
    splitCalls(
      recordingOf([
        { request: "GET /settings", response: { clientId: "q7Zk2Xw9Lm" } },
        { request: "POST /token", json: { client: "q7Zk2Xw9Lm" } },
      ]).exchanges,
    );
  const again = calls();
  const steps = calls().map((call, i) => ({
    call,
    again: again[i],
    responses: [call, again[i]].map(({ exchange }) => exchange.response),
  }));
  const { decisions } = correlate(steps, { jsonOnly: false, explain: true });
  assertEquals(decisions.map(({ value, kind, sent }) => [value, kind, sent.length]), [
    ["q7Zk2Xw9Lm", "constant", 1],
  ]);
});

const TOKEN = "q7Zk2Xw9fR3m";
const UUID = "6f1c0a52-93de-4c55-a3f0-1d0a8a1f9f10";

function readCalls(calls: readonly CaseCall[]) {
  const split = splitCalls(recordingOf(calls).exchanges);
  const steps = split.map(recordedStep);
  const values = sharedValues(steps, () => true);
  const extractors = new SourceExtractors(steps, values);
  return { split, values, extractors, session: new SessionEvidence(split) };
}

/** Calls, and the assignments: value, kind, source, and the calls that then send the variable. */
const ASSIGNED: Record<
  string,
  [calls: CaseCall[], assignments: string[], jsonOnly?: true]
> = {
  "a value to the only response that explains it": [
    [
      { request: "GET /a", response: { token: TOKEN } },
      { request: `GET /b?x=${TOKEN}` },
      { request: `GET /c?x=${TOKEN}` },
    ],
    [`${TOKEN} correlated 0 token: 1, 2`],
  ],
  "the longest value first": [
    [
      { request: "GET /a", response: { a_id: "k3J9x2M4", b_id: "k3J9x2M4-q8W1" } },
      { request: "GET /b/k3J9x2M4-q8W1" },
    ],
    ["k3J9x2M4-q8W1 correlated 0 b_id: 1"],
  ],
  "equal numbers of two resources to the source of each": [
    [
      { request: "POST /teas", response: { tea: { id: 7 } } },
      { request: "POST /cups", response: { cup: { id: 7 } } },
      { request: "GET /teas/7" },
      { request: "GET /cups/7" },
    ],
    ["7 correlated 0 id: 2", "7 correlated 1 id: 3"],
  ],
  "no value that the client sent first": [
    [
      { request: "PUT /drafts/q7Zk2Xw9", response: { id: "q7Zk2Xw9" } },
      { request: "GET /drafts/q7Zk2Xw9" },
    ],
    ["q7Zk2Xw9 client's own 0 id: 0, 1"],
  ],
  "a value that a request sent before the response ended as one overlap, without its parts": [
    [
      { request: "GET /a", at: [0, 500], response: { token: UUID } },
      { request: `GET /b?x=${UUID}`, at: [100, 200] },
    ],
    [`${UUID} overlap 0 token: 1`],
  ],
  "a value of a page as an offer, if only JSON is extracted": [
    [
      { request: "GET /a", ...page(`<input type="hidden" name="csrf" value="${TOKEN}">`) },
      { request: "POST /b", form: { csrf: TOKEN } },
    ],
    [`${TOKEN} offered 0 csrf: 1`],
    true,
  ],
  "neither a value after a dollar nor its parts": [
    [
      { request: "GET /a", response: { token: UUID } },
      { request: "POST /b", json: { text: `$${UUID}` } },
    ],
    [`${UUID} after a dollar 0 token: `],
  ],
};

for (const [name, [calls, expected, jsonOnly = false]] of Object.entries(ASSIGNED)) {
  Deno.test(`Assigner assigns ${name}`, () => {
    const { split, values, extractors, session } = readCalls(calls);
    const assigner = new Assigner(session, extractors, new Referers(split), jsonOnly);
    const found = assigner.assign(values).map(({ value, kind, source, uses }) =>
      `${value} ${kind} ${source.call.order} ${source.key}: ${
        uses.map(({ call }) => call.order).join(", ")
      }`
    );
    assertEquals(found, expected);
  });
}

/** Calls, a value, and its sources with the calls that each explains; `*` marks the chosen one. */
const WEIGHED: Record<string, [calls: CaseCall[], value: string, ...sources: string[]]> = {
  "the response to the write that created the value": [
    [
      { request: "GET /teas", response: { items: [{ tea_id: 7 }] } },
      { request: "POST /teas", response: { tea_id: 7 } },
      { request: "GET /teas/7" },
    ],
    "7",
    "1 tea_id: 2 *",
  ],
  "JSON rather than an earlier page": [
    [
      { request: "GET /a", ...page(`<meta name="csrf-token" content="${TOKEN}">`) },
      { request: "GET /b", response: { csrf: TOKEN } },
      { request: "POST /c", headers: { "X-CSRF-Token": TOKEN } },
    ],
    TOKEN,
    "0 csrf-token: 2",
    "1 csrf: 2 *",
  ],
  "a path without a position rather than the first item of a list": [
    [
      { request: "GET /a", response: { items: [{ cart: UUID }] } },
      { request: "GET /b", response: { cart: UUID } },
      { request: `GET /carts/${UUID}` },
    ],
    UUID,
    "0 cart: 2",
    "1 cart: 2 *",
  ],
  "the response to a form that did not send the value rather than an item of a list": [
    [
      { request: "GET /a", response: { items: [{ cart: UUID }, { cart: "" }] } },
      { request: "POST /b", json: {}, response: { cart: UUID } },
      { request: `GET /carts/${UUID}` },
    ],
    UUID,
    "0 cart: 2",
    "1 cart: 2 *",
  ],
  "the only result of a search rather than one of several items": [
    [
      { request: "GET /a", response: { items: [{ cart: "" }, { cart: UUID }] } },
      { request: "GET /b?q=tea", response: { items: [{ cart: UUID }] } },
      { request: `GET /carts/${UUID}` },
    ],
    UUID,
    "0 cart: 2",
    "1 cart: 2 *",
  ],
  "no source of a number of another resource": [
    [{ request: "GET /a", response: { user: { id: 7 } } }, { request: "GET /teas/7" }],
    "7",
  ],
};

for (const [name, [calls, value, ...expected]] of Object.entries(WEIGHED)) {
  Deno.test(`SourceWeigher weighs, and chooseSource chooses ${name}`, () => {
    const { values, extractors, session } = readCalls(calls);
    const shared = values.find((one) => one.value === value)!;
    const weigher = new SourceWeigher(shared, session, extractors);
    const weighed = divideUses(weigher.weigh(shared.uses, () => false), value);
    const chosen = chooseSource(weighed, extractors);
    assertEquals(
      weighed.map((one) => {
        const uses = [...one.scores.keys()].map(({ call }) => call.order).join(", ");
        return `${one.source.call.order} ${one.source.key}: ${uses}${one === chosen ? " *" : ""}`;
      }),
      expected,
    );
  });
}
