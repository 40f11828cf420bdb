import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { isPasswordName } from "../../../src/traffic/session/secret_names.ts";
import { withoutSecrets } from "../../../src/traffic/session/secret_texts.ts";

const HIDDEN = "********";

/** Checks texts in which `«` and `»` surround each part that must be hidden. */
function assertHides(marked: readonly string[]): void {
  for (const text of marked) {
    const plain = text.replaceAll(/[«»]/g, "");
    assertEquals(withoutSecrets(plain), text.replaceAll(/«[^»]*»/g, HIDDEN), plain);
  }
}

Deno.test("nested secrets: all values nested under the name of a credential are hidden", () => {
  assertHides([
    '{"auth":{"password":"«x»"}}',
    '{"users":[{"name":"ada","password":"«hunter2»"},{"api_key":"«abc123»"}]}',
    '{"passwords":["«one»","«two3»"], "n": 7}',
    '{"secret":{"a":[{"b":"«deep»"}]}}',
    '{"password" : «123456» }',
    '{"p\\u0061ssword":"«hunter2»"}',
    '[{"name":"pin","value":"«4711»"}]',
    '{"value":"«4711»","key":"pin"}',
    '{"a":"{\\"auth\\":{\\"password\\":[\\"«hunter2»\\"]}}"}',
    '{"next":"/login?user=ada&password=«hunter2»"}',
    'data: {"auth":{"password":["«hunter2»"]}}\n\n',
    `)]}',\n{"pin":["«4711»"]}`,
    '{"u":"/?l[]=1&access%5Ftoken=«q1w2e3»"}',
    'callback({"pin":["«4711»"]})',
    'event: a\nid: 1\ndata: {"pin":[«4711»]}\n\n',
    // Bodies that were cut off.
    '{"auth":{"password":"«hunter2 and mo»',
    '{"password":["«hunter2\\»',
    '[{"name":"pin","value":"«471»',
    // Not credentials.
    '{"password":null,"items":[1.10,{"id":9007199254740993}]}',
    '{"name":"color","value":"red"}',
    '}]{[:,"',
    "",
    '--b\r\nContent-Disposition: form-data; name="password"\r\n\r\n«hunter2»\r\n--b--',
    '--b\nContent-Disposition: form-data; name="q"\n\ntea\n--b--',
  ]);
});

Deno.test("nested secrets: credentials within a field of a query are hidden", () => {
  assertEquals(
    withoutSecrets("http://t/?next=%2Flogin%3Fpassword%3Dhunter2&page=1"),
    `http://t/?next=%2Flogin%3Fpassword%3D${HIDDEN}&page=1`,
  );
  assertEquals(
    withoutSecrets("/?data=%7B%22auth%22%3A%7B%22pin%22%3A%5B%224711%22%5D%7D%7D"),
    `/?data=${encodeURIComponent(`{"auth":{"pin":["${HIDDEN}"]}}`)}`,
  );
  const plain = "/?q=a%20b+c&filter=%7B%22a%22%3A1%7D&x=%ZZ&list[]=1";
  assertEquals(withoutSecrets(plain), plain);
});

Deno.test("nested secrets: a secret is hidden at any depth, and other JSON is unchanged", () => {
  const wrap = (depth: number, value: unknown): unknown =>
    depth === 0
      ? value
      : depth % 2 === 0
      ? [wrap(depth - 1, value)]
      : { inner: wrap(depth - 1, value) };
  fc.assert(fc.property(fc.nat({ max: 40 }), fc.nat({ max: 40 }), (above, below) => {
    const json = JSON.stringify(wrap(above, { password: wrap(below, "Zq-hunter-7731") }));
    const shown = withoutSecrets(json);
    // Names more than 32 members away are not checked.
    if (below <= 32) assert(!shown.includes("hunter"), shown);
    JSON.parse(shown);
  }));
  fc.assert(fc.property(fc.json(), (json) => {
    const shown = withoutSecrets(json);
    if (!shown.includes(HIDDEN)) assertEquals(shown, json);
  }));
});

Deno.test("nested secrets: hostile text is processed quickly and causes no error", () => {
  const part = 'content-disposition: form-data; name="a"\n';
  for (
    const text of [
      "[".repeat(8_000),
      '{"a":'.repeat(1_600),
      "%257B".repeat(1_600),
      '"\\'.repeat(4_000),
      part.repeat(200),
      "?a=".repeat(2_600),
    ]
  ) {
    withoutSecrets(text);
    withoutSecrets(text);
  }
  fc.assert(fc.property(fc.string({ maxLength: 300 }), (text) => {
    withoutSecrets(`{${text}`);
    withoutSecrets(`/?a=${encodeURIComponent(text.toWellFormed())}`);
  }));
});

Deno.test("credentials in HTTP headers, forms, XML and lists of values are hidden", () => {
  const basic = btoa("ada:hunter2");
  assertHides([
    "Authorization: Bearer «hunter2»",
    '{"headers":["Authorization: «Basic» «hunter2»"]}',
    '{"raw":["Authorization","Bearer «hunter2»"]}',
    '{"h":[["authorization", "Basic «a2V5»"]]}',
    "sent Bearer «q1w2e3r4t5y6», expired",
    `got Basic «${basic}»`,
    "Basic authentication needs a bearer certificate",
    '<input value="«hunter2»" type="hidden" name="api_key">',
    "<input type=password value=«hunter2»>",
    '<meta name="api-key" content="«hunter2»"/>',
    '<input name="password" value=""><input name="q" value="tea">',
    "<a:Password><![CDATA[«hunter2»]]></a:Password>",
    '[{"name":"pin","values":["«4711»",{"a":"«4712»"}]},{"name":"n","values":["1"]}]',
    '{"param":"password","value":"«hunter2»"}',
    "--b\r\nContent-Disposition: form-data; name=password\r\n\r\n«hunter2»\r\n--b--",
  ]);
});

Deno.test("credentials in lists, scripts, labelled values, damaged JSON and nested XML are hidden", () => {
  assertHides([
    // Lists and maps within other text.
    '<script>window.cfg = {"passwords": ["«hunter2»", "«b7»"], "secret": {"a": ["«x9»"]}};</script>',
    "<script>var c = {user: 'ada', pins: 3, passwords: ['«hunter2»', ['«b7»']], n: 'tea'}</script>",
    '<div data-cfg="{&quot;password&quot;:&quot;«hunter2»&quot;,&quot;n&quot;:&quot;tea&quot;}">',
    '<div data-cfg="{&#34;passwords&#34;:[&#34;«hunter2»&#34;]}">',
    'log: {\\"secrets\\":[\\"«hunter2»\\"]} <b>',
    'x "password" :\n   "«hunter2»"',
    'password=["«hunter2»","«b7»"]',
    // Maps of Ruby and PHP.
    'Parameters: {"user"=>{"password"=>"«hunter2»", "q"=>"tea"}}',
    "'password' => '«hunter2»',",
    "['pin' => «4711»]",
    // Encoded names outside forms.
    "moved to /x?user%5Bpassword%5D=«hunter2»&q=tea today",
    "a user%5bpassword%5d=«hunter2»",
    "a %70assword=«hunter2»",
    // Values whose name is another value.
    '{"label":"password","text":"«hunter2»"}',
    '{"id":"field7","name":"password","content":"«hunter2»"}',
    '<script>f([{name: "password", value: "«hunter2»"}, {name: "q", value: "tea"}])</script>',
    'x {\\"value\\": \\"«hunter2»\\", \\"name\\": \\"password\\"}',
    '{"name":"password","required":true,"type":"text","value":"«hunter2»"}',
    // A quotation mark in a value, and form fields with other characters.
    '{"password":"«hun\\"ter2»"}',
    "user=ada&password=«it's,(b)»&q=tea",
    // Damaged JSON.
    '{"a": "no end, "passwords": ["«hunter2»", «4711»], "b": [1]}',
    "{'passwords': ['«hunter2»'], 'n': 'tea'",
    '"passwords": ["«hunter2»", "«b»',
    '<script>f({"password": "«hunter2 an»',
    // Nested XML.
    "<password><value>«hunter2»</value><p><v>«b7»</v></p></password><n>tea</n>",
    "<p><name>password</name><value>«hunter2»</value></p><p><name>n</name><value>tea</value></p>",
    "<dict><key>password</key><string>«hunter2»</string><key>n</key><string>tea</string></dict>",
    '<entry key="password">«hunter2»</entry><entry key="n">tea</entry>',
    '<add key="password" value="«hunter2»"/>',
    "<password><![CDATA[«hun]ter<2»]]></password>",
    "<!-- <pin>«4711»</pin> --><p>tea</p>",
    "<s:Envelope><password> «hunter2»",
    // Not credentials.
    '<p>password</p><input type="password" name="p"><p>tea</p>',
    "<label>Password</label><span>text</span>",
    '<a href="/x?a=1&amp;b=2">key: value</a>',
    "Enter the password: then press return, (or: not)",
    '{"name":"color","value":"red","items":[{"label":"a","text":"b"}]}',
  ]);
});

Deno.test("a secret nested under the name of a credential is hidden in JSON, scripts, attributes and XML", () => {
  const secret = "Zq-hunter-7731";
  const leaf = fc.constantFrom<unknown>(secret, [secret], { a: secret }, [["x1y", { b: secret }]]);
  const name = fc.constantFrom("password", "userPassword", "api_key", "secret");
  const filler = fc.dictionary(fc.constantFrom("n", "list", "text"), fc.jsonValue());
  const xml = (value: unknown): string =>
    typeof value === "object" && value !== null
      ? Object.entries(value).map(([key, part]) =>
        /^\d/.test(key) ? `<item>${xml(part)}</item>` : `<${key}>${xml(part)}</${key}>`
      ).join("\n")
      : `${value}`;
  const forms: readonly ((value: Record<string, unknown>, filler: unknown) => string)[] = [
    (value, filler) => JSON.stringify([filler, value]),
    (value) => `<html><script>window.a=${JSON.stringify(value, null, 2)};f("x")</script>`,
    (value) => `<i data-a="${JSON.stringify(value).replaceAll('"', "&quot;")}">it's</i>`,
    (value) => `it's {"broken: ${JSON.stringify(value)}`,
    (value) => JSON.stringify(value).replaceAll('":', '"=>'),
    (value) => JSON.stringify(value).replaceAll('"', "'"),
    (value) => `error: ${JSON.stringify(JSON.stringify(value))}`,
    (value) => `<a><b/>${xml(value)}</a>`,
    (value) => JSON.stringify(value).slice(0, -1),
  ];
  fc.assert(
    fc.property(fc.constantFrom(...forms), name, leaf, filler, (form, name, leaf, filler) => {
      const shown = withoutSecrets(form({ [name]: leaf }, filler));
      assert(!shown.includes("hunter"), shown);
    }),
  );
});

Deno.test("a credential after hostile markup or hostile lists is hidden", () => {
  for (
    const part of [
      ...["<a>", "<password>x", "</a>", "<!--", "<![CDATA[", "<script>", '"pin":[', "pin=>[{"],
      ...["&quot;", "%41=", "<a b=", '"name":"pin","value":'],
    ]
  ) {
    const text = part.repeat(Math.floor(64_000 / part.length));
    for (const start of ["", "<x>"]) {
      const shown = withoutSecrets(`${start}${text} password=hunter2`);
      assert(!shown.includes("hunter2"), part);
    }
  }
});

Deno.test("a credential after 100,000 unclosed `<script` tags is hidden", () => {
  const shown = withoutSecrets(`${"<script ".repeat(100_000)} password=hunter2`);
  assert(!shown.includes("hunter2"));
});

// The texts take minutes if the time is quadratic in their length.
Deno.test("a credential after 100 kB of names, labels or headers is hidden", () => {
  const labels = Array.from({ length: 2_500 }, (_, i) => `name="token${i}" `).join("");
  const quotes = Array.from({ length: 600 }, (_, i) => `id=&#${"0".repeat(i)}39;`).join("");
  const texts = [
    ...["id=", "token=", "session=", "eyJ-", "a-", "a.", "content-disposition: name="],
    ...[`id:${"-".repeat(40)}`, "pin=4711&", 'content-disposition: a; name="b"\r\n'],
    ...['{"pin":"4711"},', "[", '["', '<a name="pin" value="', "%24=", "{", '\\"'],
  ].map((part) => part.repeat(100_000 / part.length));
  texts.push(
    quotes,
    `<a ${labels}>${"v<b/>".repeat(10_000)}`,
    `[{${'"name":"token",'.repeat(3_500)}"value":[${'"a",'.repeat(12_500)}1]}`,
  );
  for (const text of texts) {
    const shown = withoutSecrets(`${text} \npassword=hunter2`);
    assert(!shown.includes("hunter2"), text.slice(0, 40));
  }
});

Deno.test("a password in a multipart form is hidden, but the form's other parts are not", () => {
  const part = (name: string, content: string) =>
    `--b\r\nContent-Disposition: form-data; name=${name}\r\nX-A: 1\r\n\r\n${content}\r\n`;
  assertEquals(
    withoutSecrets(
      part('"pin"', "4711\r\nx") + part("user", "ada") + part("pin", "8") + "--b--",
    ),
    part('"pin"', HIDDEN) + part("user", "ada") + part("pin", "8") + "--b--",
  );
});

Deno.test("credentials with encoded or special names are hidden up to the end of their values", () => {
  assertHides([
    "user%5Bpassword%5D=«correct%20horse%26x»&q=tea",
    '{"body":"user%5Bpassword%5D=«correct%20horse»"}',
    "users%5B0%5D%5Bpin%5D=«a%2Cb» c",
    "a=1&ctl00%24Main%24Password=«hunter2»",
    "ctl00$Main$Password=«hunter2»",
    "api+key=«hunter2»",
    "1password=«hunter2»",
    "/p?password=«hun;ter2»",
    "/p?password=«hunter2»;q=tea",
    '{"API Key":"«hunter2»"}',
    '{"client secret (new)":"«hunter2»"}',
    '{"$password":"«hunter2»"}',
    '{"my pass word":"«hunter2»"}',
    'login(password: """«hun"ter2»""", n: "tea")',
    '{"password"\n:"«hunter2»"}',
    "color%5Bname%5D=light%20red&ctl00$Main$Text=tea",
  ]);
});

Deno.test("credentials that a distant member or attribute names are hidden", () => {
  const long = "x } ".repeat(300);
  assertHides([
    '{"name":"password","rules":{"min":8},"value":"«hunter2»"}',
    '{"value":"«hunter2»","rules":[{"min":8}],"name":"password"}',
    `{"name":"password","about":"${long}","value":"«hunter2»"}`,
    '<field name="password" fmt="{0}" value="«hunter2»"/>',
    `<input value='«hunter2»' class="a > b" title="${long}" name=password>`,
    // The names of other objects and tags.
    '[{"name":"password","rules":{"value":"red"}},{"value":"tea"}]',
    '<a name="password"/><b value="tea"/>',
  ]);
});

Deno.test("all credentials in lists of more than 20,000 characters and tokens are hidden", () => {
  for (const filler of ["[1,2],".repeat(15_000), `"${"y".repeat(25_000)}",`]) {
    const shown = withoutSecrets(`{"credentials":[${filler}{"a":["hunter2"]}]}`);
    assert(!shown.includes("hunter2"));
  }
});

Deno.test("a credential in JSON within six JSON strings is hidden", () => {
  let text = JSON.stringify({ password: "hunter2" });
  for (let i = 0; i < 6; i++) text = JSON.stringify({ a: text });
  const shown = withoutSecrets(text);
  assert(!shown.includes("hunter2"), shown);
});

Deno.test("password names: one rule for words of all languages, whole or within a longer name", () => {
  const names = [
    ...["password", "userPass", "userpassword", "user[password]", "j_password", "Passwort"],
    ...["pwd", "loginPwd", "pw", "user.pw", "new_pw", "mot_de_passe", "mdp", "Contraseña", "clave"],
    ...["senha", "passwd2", "pass1", "パスワード", "password_confirmation"],
  ];
  for (const name of names) assert(isPasswordName(name), name);
  for (const name of ["passport", "passengers", "pwa", "clavel", "token", "user", ""]) {
    assert(!isPasswordName(name), name);
  }
});
