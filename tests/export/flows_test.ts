import { assertEquals } from "@std/assert";
import fc, { ANY_CHARACTER, COSTLY } from "fast-check";
import type { Request } from "../../src/plan/kinds/request.ts";
import type { Step } from "../../src/plan/kinds/steps.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { loadPlan } from "../../src/plan/load_plan.ts";
import { literal } from "../../src/plan/text/template.ts";
import { sameRequests } from "./same_requests.ts";

/** Default body of responses, in JSON. */
const BODY = JSON.stringify({
  token: "t 1/ü",
  id: 7,
  ok: true,
  none: null,
  items: [{ id: 1, stock: 0, name: "a" }, { id: 2, stock: 3, name: "b" }, { id: 3, stock: 5 }],
  deep: { list: ["x", { y: [1, 2] }] },
  url: "https://other.example/path?q=1#f",
});
const PAGE =
  `<title>Tea &amp; more</title><input name=a><input name=a value="v&quot;1"><input name=a
  value=second><ul><li>one<li>two</ul> nonce="n-1" nonce="n-2" build:42; build:43;`;

const TABLE = "<table><tr data-id=1><td>Ada &amp; co<td><a href='/e/1'>edit</a></tr>" +
  "<tr data-id=2><td> Bob <td><a href='/e/2'>edit</a></tr></table>";

function respond(_method: string, url: string) {
  const headers: [string, string][] = [
    ["X-Id", "id=12"],
    ["Set-Cookie", "visit=v1; Path=/"],
    ["Content-Type", "text/plain"],
    ["ETag", '"v1"'],
  ];
  if (/\/missing/.test(url)) return { status: 404, body: "no", headers };
  if (/\/table/.test(url)) return { status: 200, body: TABLE, headers };
  if (/\/page/.test(url)) return { status: 200, body: PAGE, headers };
  return { status: 200, body: /\/text/.test(url) ? "hello hello item-1" : BODY, headers };
}

/** Flows in YAML, keyed by the feature that they test. */
const FLOWS: Readonly<Record<string, string>> = {
  "extractors": `
- request:
    url: /page
    extract:
      - {type: css, name: a, expression: "input[name=a]", attribute: value}
      - {type: css, name: b, expression: li, index: last}
      - {type: css, name: c, expression: li, index: all}
      - {type: regex, name: d, expression: 'nonce="([^"]+)"', index: 1}
      - {type: regex, name: e, expression: 'nonce="[^"]+"', group: 0}
      - {type: boundary, name: f, left: "build:", right: ;}
      - {type: boundary, name: g, left: "build:", right: ;, index: all}
      - {type: header, name: h, header: x-id, expression: 'id=(\\d+)'}
      - {type: header, name: i, header: X-ID}
      - {type: cookie, name: j, cookie: visit}
      - {type: css, name: k, expression: .none, default: fallback}
      - {type: regex, name: l, expression: '(zzz)'}
      - {type: css, name: m, expression: title, transform: [trim, uppercase, url_encode]}
- request: {method: POST, url: /s, body: {json: {a: "\${a}", b: "\${b}", c: "\${c}", d: "\${d}", e: "\${e}", f: "\${f}", g: "\${g}"}}}
- request: {url: "/\${h}/\${i}?k=\${k}&j=\${j}&m=\${m}&c=\${c}"}
- request: {url: "/never/\${l}"}
- request: {url: /r, headers: {Referer: "https://s.example/\${l}", Origin: "https://s.example/\${l}", X-A: "\${a}"}}`,
  "JSON paths": `
- request:
    url: /json
    extract:
      - {type: jsonpath, name: token, expression: $.token}
      - {type: jsonpath, name: id, expression: $.id}
      - {type: jsonpath, name: ok, expression: $.ok}
      - {type: jsonpath, name: none, expression: $.none}
      - {type: jsonpath, name: deep, expression: $.deep}
      - {type: jsonpath, name: first, expression: "$.items[?@.stock > 0 && @.name].id"}
      - {type: jsonpath, name: all, expression: "$.items[*].id", index: all}
      - {type: jsonpath, name: y, expression: "$.deep.list[1].y[1]"}
      - {type: jsonpath, name: last, expression: "$.items[-1].id"}
      - {type: jsonpath, name: path, expression: $.url, transform: [path]}
      - {type: jsonpath, name: zero, expression: "$.deep.list[0]", transform: [uppercase, base64_encode]}
- request: {method: POST, url: "/x/\${token}", body: {json: {token: "\${token}", id: "\${id}", ok: "\${ok}", none: "\${none}", deep: "\${deep}", all: "\${all}", text: "id \${id} \${deep} \${none}"}}}
- request: {url: "/y?first=\${first}&y=\${y}&last=\${last}&path=\${path}&zero=\${zero}&ok=\${ok}"}
- request: {method: POST, url: /z, body: {form: {token: "\${token}", id: "\${id}", all: "\${all}", n: 1.50}}}`,
  "extractors in the row of a text": `
- request: {url: /json, extract: [{type: jsonpath, name: a, expression: "$.items[*].stock", row: b}, {type: jsonpath, name: b, expression: "$.items[*].id", row: nobody, default: none}]}
- request:
    url: /table
    extract:
      - {type: css, name: c, expression: a, attribute: href, row: Bob}
      - {type: css, name: d, expression: a, attribute: href, row: Ada & co}
      - {type: regex, name: e, expression: "data-id=([0-9]+)", row: "\${vars.bob}"}
      - {type: boundary, name: f, left: "href='", right: "'", row: Bob}
- request: {url: "/a?a=\${a}&b=\${b}&c=\${c}&d=\${d}&e=\${e}&f=\${f}"}`,
  "recorded visits": `
- visits:
    data: visits
    requests:
      - {name: look, steps: [{request: {url: "/look/\${data.visits.url}"}}]}
      - {name: buy, steps: [{request: {method: POST, url: /buy, body: "\${data.visits.url}"}}]}`,
  "filters in JSON paths": `
- request:
    url: /json
    extract:
${
    [
      "$.items[?@.id == 2].name",
      "$.items[?@.name == 'a' && @.stock == 0].id",
      "$.items[?@.name || @.id == 3].id",
      "$.items[?@.name != 'a'].id",
      "$.items[?@.id == '2'].id",
      "$.items[?@.none].id",
      "$.items[?@.name[0] != 'x'].id",
      "$.deep.list[?@['y'][1] == 2].y[0]",
      "$.items[?!(@.id >= 2)].name",
    ].map((path, i) =>
      `      - {type: jsonpath, name: s${i}, expression: "${path}", index: all, default: none}`
    ).join("\n")
  }
- request: {url: "/a?${Array.from({ length: 9 }, (_, i) => `s${i}=\${json(s${i})}`).join("&")}"}`,
  "expressions": `
- request: {url: /json, extract: [{type: jsonpath, name: id, expression: $.id}, {type: jsonpath, name: token, expression: $.token}, {type: jsonpath, name: items, expression: $.items}, {type: regex, name: missing, expression: "(zzz)"}]}
- set: {sum: "\${id * 2 + 1}", text: "\${token + id}", map: {a: ["\${id}", "x\${id}"]}, broken: "\${items[9].id}", member: "\${items[1].id}", back: "\${missing ?? items[-1].stock ?? 1}"}
- request: {method: POST, url: "/a/\${sum}/\${member}/\${back}", body: {json: {text: "\${text}", map: "\${map}", list: "\${map.a[0]}"}}}
- request: {url: "/never/\${broken}"}
- request: {url: "/never/\${items[9].id}"}
- request: {url: "/f?a=\${base64(token)}&b=\${url_encode(token)}&d=\${sha256(token)}&e=\${hmac_sha256('k', token, 'base64')}&f=\${upper(token)}&g=\${length(token)}&h=\${substring(token, 1, -1)}&i=\${replace(token, ' ', '_')}&j=\${base64url(token)}&k=\${json(token)}"}
- request: {url: "/g/\${number('12') / 5}/\${-id}/\${id % 4}/\${lower('AB')}/\${scenario}/\${iteration}/\${vu}/\${random_int(3, 3)}/\${random_choice('x', 'x')}"}
- request: {url: "/h/\${random_float(2, 2)}/\${random_string(3, 'z')}"}`,
  "constant expressions": `
- request: {method: POST, url: "/\${0.1 + 0.2}/\${-(2)}/\${1 - -2}", body: {json: {a: "\${0.1 + 0.2}", b: ["\${(true)}", "\${(null)}", {c: "\${1 < 2}", d: "\${not true}"}], e: "\${length('abc')}", f: "\${'1' + 2}", g: "\${lower('AB')}", h: "\${null ?? 7}", v: "\${vars.two}", n: "\${number(vars.two) + 1}"}}}
- request: {method: POST, url: /j, body: {json: "\${2 * 3}"}}
- request: {method: POST, url: /k, body: {json: ["\${-5}", "\${number('12')}", "\${(7) % 4}", "x\${1 + 1}"]}}`,
  "lists and maps as text": `
- request:
    url: /json
    extract:
      - {type: jsonpath, name: list, expression: $.deep.list}
      - {type: jsonpath, name: lists, expression: "$.deep[*]", index: all}
      - {type: jsonpath, name: found, expression: "$.items[?@.id == 2]"}
      - {type: jsonpath, name: inner, expression: "$.deep.list[1].y"}
      - {type: jsonpath, name: last, expression: "$.items[*]", index: last}
      - {type: jsonpath, name: moved, expression: $.deep.list, transform: [uppercase]}
      - {type: jsonpath, name: names, expression: "$.items[*].name", index: all, transform: [uppercase]}
- request: {method: POST, url: /x, body: "\${list} \${lists} \${found} \${inner} \${last} \${moved} \${names}"}
- request: {url: "/y/\${list}?a=\${found}&b=\${url_encode(inner)}", params: {c: "\${last}"}, headers: {X-A: "\${list}", X-B: "\${found}"}}
- request: {method: POST, url: /z, body: {form: {list: "\${list}", found: "\${found}"}}}`,
  "conditions": `
- request: {url: /json, extract: [{type: regex, name: missing, expression: "(zzz)"}, {type: jsonpath, name: id, expression: $.id}, {type: jsonpath, name: token, expression: $.token}]}
${
    [
      ...["id > 6 and id <= 7", "token matches '^t'", "not id", "id == '7' or missing"],
      ...["missing == 1", "'b' > 'a'", "token != 't'"],
    ].map((condition, i) =>
      `- if: {condition: "${condition}", then: [{request: {url: "/then/${i}"}}], else: [{request: {url: "/else/${i}"}}]}`
    ).join("\n")
  }
${
    [
      "{type: status, equals: 200}",
      "{type: status, one_of: [404, 500]}",
      '{type: status, matches: "^2"}',
      "{type: jsonpath, expression: $.id, equals: 7}",
      "{type: jsonpath, expression: $.ok, equals: true}",
      "{type: jsonpath, expression: $.deep.list, equals: [x, {y: [1, 2]}]}",
      "{type: jsonpath, expression: $.nope, exists: false}",
      '{type: jsonpath, expression: "$.items[*]", count: {gte: 2, lt: 4}}',
      "{type: jsonpath, expression: $.id, gt: 6.5, lte: 7}",
      '{type: jsonpath, expression: $.token, matches: "ü$"}',
      "{type: body_contains, value: stock}",
      "{type: body_contains, value: '${token}', negate: true}",
      '{type: body_matches, pattern: "item.", count: 1}',
      "{type: header, header: content-TYPE, contains: plain}",
      "{type: header, header: X-None, exists: false}",
      '{type: header, header: X-Id, matches: "\\\\d"}',
      "{type: css, expression: li, exists: false}",
      "{var: id, equals: 7}",
      "{var: token, matches: ^t}",
      "{var: missing, exists: false}",
      "{var: id, gt: 7}",
      "{and: [{var: id, lt: 8}, {not: {type: status, equals: 404}}]}",
      "{or: [id == 1, {type: status, equals: 200}]}",
    ].map((condition, i) =>
      `- request: {url: /json}
- if: {condition: ${condition}, then: [{request: {url: "/yes/${i}"}}], else: [{request: {url: "/no/${i}"}}]}`
    )
      .join("\n")
  }`,
  "loops": `
- request: {url: /json, extract: [{type: jsonpath, name: ids, expression: "$.items[*].id", index: all}, {type: regex, name: missing, expression: "(zzz)"}]}
- repeat: {times: 3, steps: [{request: {url: /again}}]}
- set: {n: 0}
- while: {condition: n < 3, steps: [{set: {n: "\${n + 1}"}}, {request: {url: "/n/\${n}"}}]}
- retry: {attempts: 4, until: {var: n, equals: 5}, steps: [{set: {n: "\${n + 1}"}}, {request: {url: "/r/\${n}"}}]}
- retry: {attempts: 2, until: {type: status, equals: 500}, steps: [{request: {url: /missing}}]}
- retry: {attempts: 2, until: {type: status, equals: 500}, required: true, steps: [{request: {url: /missing}}]}
- retry: {attempts: 2, until: n == 5, required: true, steps: [{request: {url: /found}}]}
- group: {name: "a \${b}", steps: [{random: {strategy: uniform, choices: [{name: one, steps: [{request: {url: /one}}]}]}}]}
- random: {choices: [{weight: 0, steps: [{request: {url: /no}}]}, {weight: 2, steps: [{request: {url: /two}}]}]}
- random: {strategy: round_robin, choices: [{steps: [{request: {url: /first}}]}, {steps: [{request: {url: /second}}]}]}`,
  "bodies and URLs": `
- request: {url: "a b/ü?x=ü y&z=%zz#f", params: {q: [1, "a&b", true], "k ü": "\${vars.v}"}}
- request: {url: "?only=query"}
- request: {url: ""}
- request: {url: "https://User@other.example/a//b/../c%2Fd"}
- request: {url: "/v/\${vars.v}/\${vars.safe}?a=\${url_encode(vars.v)}"}
- request: {url: "\${vars.absolute}/x"}
- request: {method: DELETE, url: /d}
- request: {method: HEAD, url: /h}
- request: {method: OPTIONS, url: /o}
- request: {method: PROPFIND, url: /p, body: "<x/>"}
- request: {method: POST, url: /e}
- request: {method: PATCH, url: /t, body: "text \${vars.v} $\${literal} \`back\`", headers: {Content-Type: text/plain, X-Default: null, x-other: 5}}
- request: {method: POST, url: /f, body: {form: [[a, "1"], [a, 2], ["ü &", "a=b~'()!*"]]}}
- request: {method: POST, url: /j, body: {json: {n: 12345678901234567890, f: 1.10, "\${vars.v}": ["\${vars.v}", null, -0.5]}, content_type: application/x}}
- request: {method: POST, url: /m, body: {multipart: [{name: 'a "b', value: "x\${vars.v}"}, {name: f, base64: "AA\n\n  H/Ag", filename: "ü.bin"}, {name: t, file: up.txt, content_type: text/x}]}}
- request: {method: PUT, url: /b, body: {file: up.txt}}
- request: {method: PUT, url: /b, body: {base64: aGVsbG8=}}
- request: {method: PUT, url: /b, body: {base64: "aGVs bG8"}}`,
};

for (const [name, flow] of Object.entries(FLOWS)) {
  Deno.test(`a script sends what its plan sends: ${name}`, async () => {
    const plan = load(flow);
    const requests = await sameRequests(plan, () => respond, { files: { "up.txt": "file ü" } });
    assertEquals(requests.length > 1, true);
    assertEquals(requests.some(({ url }) => url.includes("never")), false);
  });
}

function load(flow: string): Plan {
  const { plan, diagnostics } = loadPlan(`
data: {visits: {type: inline, rows: [{start: 5, pause: "", request: look, url: a}, {start: "", pause: 0.1, request: buy, url: b}]}}
variables: {two: 2, bob: Bob, v: "ä/b c", safe: a-1, absolute: "https://abs.example"}
defaults: {http: {base_url: "http://t.example/base/", headers: {X-Default: d, X-Other: "\${vars.safe}", accept: "*/*"}}}
scenarios:
  "main one":
    executor: per-vu-iterations
    vus: 1
    iterations: 1
    flow:${flow.replaceAll("\n", "\n      ")}
`);
  assertEquals(diagnostics.filter(({ severity }) => severity === "error"), []);
  return plan!;
}

Deno.test("a script uses data rows, setup and teardown in the same way as its plan", async () => {
  const { plan } = loadPlan(`
defaults: {http: {base_url: "http://t.example"}}
secrets: {key: {env: KEY}, file: {file: secret.txt}}
variables: {region: "\${env.REGION:-eu}", host: "\${env.HOST}"}
data:
  users: {type: csv, path: users.csv, delimiter: ";"}
  items: {type: json, path: items.json, mode: per_vu}
  colours: {type: inline, rows: [{c: red}, {c: blue}]}
setup: [{request: {url: /token, extract: [{type: jsonpath, name: shared, expression: $.token}]}}]
teardown: [{request: {method: DELETE, url: "/token/\${setup.shared}"}}]
scenarios:
  s:
    executor: per-vu-iterations
    vus: 1
    iterations: 3
    flow:
      - request: {url: "/\${data.users.full name}/\${data.items.n}/\${data.colours.c}", headers: {X: "\${secrets.key}\${secrets.file}\${vars.region}\${vars.host}\${env.REGION:-x}"}}
      - if: {condition: iteration == 1, then: [{request: {url: /json, extract: [{type: jsonpath, name: last, expression: $.id}]}}]}
      - request: {url: "/last/\${last}"}
`);
  const files = {
    "users.csv": '\ufefffull name;b\r\n"a ""1""\nx";1\r\nbob;2\r\n',
    "items.json": '[{"n":1},{"n":2}]',
    "secret.txt": "s3\n",
  };
  const requests = await sameRequests(plan!, () => respond, {
    files,
    env: { KEY: "k", HOST: "h" },
    iterations: 3,
  });
  assertEquals(requests.length, 8);
  assertEquals(requests.at(-2)!.url, "http://t.example/last/7");
});

/** Generates strings that may contain sequences that could end a JavaScript literal. */
const TEXT = fc.array(
  fc.oneof(
    fc.string({ unit: ANY_CHARACTER, maxLength: 8 }),
    fc.constantFrom(
      ...["'", '"', "`", "\\", "${x}", "$", "\n", "\u2028", "</script>", "<!--", "*/", "//", "$${"],
      ...["';throw 1;'", "`+x+`", "\ud800", "\0", "__proto__", "constructor", "%", "%41", "#", "?"],
    ),
  ),
  { maxLength: 6 },
).map((parts) => parts.join(""));

Deno.test("a script does not execute hostile recorded text, and sends the same requests as its plan", async () => {
  await fc.assert(
    fc.asyncProperty(TEXT, TEXT, async (a, b) => {
      const [x, y] = [literal(a), literal(b)];
      const header = literal(a.replace(/[\0\r\n]/g, " ").trim());
      // Keys from which V8 derives the names of functions. With a lone surrogate in such a name,
      // `deno test --coverage` panics.
      const [c, d] = [a.toWellFormed(), b.toWellFormed()];
      const request: Request = {
        name: a,
        method: "POST",
        url: `/p/${x}?q=${y}`,
        params: { [a]: x, k: y },
        headers: { "X-Text": header },
        body: { json: { [x]: y, list: [x, { [`n${y}`]: x }], id: "${id}" } },
        tags: { [`t${b}`]: a },
        checks: [
          { type: "body_contains", name: c, value: y },
          { type: "body_contains", name: `${c}2`, value: x, negate: true },
          { type: "header", name: `${d}3`, header: "X-Id", equals: x },
          { type: "jsonpath", name: `${d}4`, expression: "$.id", equals: a },
        ],
        extract: [
          { type: "boundary", name: "cut", left: a, right: b, default: "none" },
          { type: "cookie", name: "cookie", cookie: a, default: b },
          { type: "jsonpath", name: "id", expression: "$.id", default: { [c]: b } },
        ],
      };
      const flow: Step[] = [
        { request },
        {
          group: {
            name: `g${a.replaceAll("::", "")}`,
            steps: [{ request: { ...request, body: x } }],
          },
        },
        { request: { ...request, body: { form: [[x, y], ["id", "${id}"]] } } },
        { set: { text: `${x}\${id}${y}`, map: { [x]: [y] } } },
        { request: { url: "/${vars.v}/${data.rows.c}", body: { json: ["${text}", "${map}"] } } },
      ];
      const plan: Plan = {
        name: a,
        description: b,
        defaults: { http: { base_url: "http://t.example" } },
        variables: { v: literal(a) },
        data: { rows: { type: "inline", rows: [{ c: b, [`d${a}`]: a }] } },
        scenarios: {
          [`s${b}`]: { executor: "per-vu-iterations", vus: 1, iterations: 1, tags: { x: a }, flow },
        },
      };
      await sameRequests(plan, () => respond);
    }),
    COSTLY,
  );
});
