import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { secretFinder } from "../../../src/base/redactor.ts";
import { convertHar } from "../../../src/convert/from_har.ts";
import { checkPlan } from "../../../src/plan/check_plan.ts";
import { runCli } from "../../support/cli.ts";
import { CliFolder } from "../../support/cli_folder.ts";
import { type CaseCall, recordingOf } from "./recorded_case.ts";

type Shape = readonly [what: string, call: Partial<CaseCall>, secret: string];

// Fictional, and concatenated here so that secret scanners do not report them.
const R = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF";
const HEX = "0123456789abcdef0123456789abcdef";
const L = "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789";

const get = (target: string): Partial<CaseCall> => ({ request: `GET ${target}` });
const header = (name: string, value: string): Partial<CaseCall> => ({ headers: { [name]: value } });
const json = (json: unknown): Partial<CaseCall> => ({ request: "POST /x", json });
const form = (form: Record<string, string>): Partial<CaseCall> => ({ request: "POST /x", form });
const text = (body: string, type_sent = "text/plain"): Partial<CaseCall> => (
  { request: "POST /x", body, type_sent }
);
const issued = (what: string, secret: string): Shape => [what, json({ value: secret }), secret];

/** A credential of each known format. */
const CREDENTIALS = [
  "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.c2ln",
  ...["AKIA0123456789ABCDEF", "ASIA0123456789ABCDEF"],
  ...[`AIza${L.slice(0, 35)}`, `ya29.${L}`, `GOCSPX-${L}`],
  ...[`sk_live_${L}`, `rk_test_${L}`, `whsec_${L}`],
  ...[`ghp_${L}`, `github_pat_${L}`, `glpat-${L}`],
  ...[`xoxb-${L}`, `xapp-1-${L}`, `npm_${L}`, `pypi-${L}`],
  ...[`SG.${L}.${L}`, `key-${HEX}`, `${HEX}-us12`],
  ...[`sk-proj-${L}`, `sk-${L}`, `hf_${L}`],
  ...[`dop_v1_${HEX}`, `dapi${HEX}`, `hvs.${L}`, `dp.pt.${L}`],
  ...[`shpat_${HEX}`, `sq0atp-${L}`, `lin_api_${L}`, `ntn_${L}${L}`],
  ...[`glsa_${L}`, `sbp_${HEX}01234567`, `ATATT3${L}${L}`],
  ...[`PMAK-${HEX.slice(0, 24)}-${HEX}01`, `NRAK-${L.toUpperCase().slice(0, 27)}`],
  `12345678:${L.slice(0, 35)}`,
];

/** Calls that together contain credentials in every kind of position. */
const SHAPES: Shape[] = [
  ["basic authorization", header("Authorization", "Basic YWRhOnR1cnRsZQ=="), "YWRhOnR1cnRsZQ=="],
  ["bearer token", header("Authorization", `Bearer ${R}`), R],
  ["api key header", header("X-Api-Key", "k-123456"), "k-123456"],
  ["auth token header", header("X-Auth-Token", `t-${HEX}`), `t-${HEX}`],
  ["vault token header", header("X-Vault-Token", "s.abc123"), "s.abc123"],
  ["subscription key header", header("Ocp-Apim-Subscription-Key", HEX), HEX],
  ["functions key header", header("x-functions-key", `${R}==`), `${R}==`],
  [
    "security token header",
    header("X-Amz-Security-Token", "IQoJb3JpZ2luX2VjE"),
    "IQoJb3JpZ2luX2VjE",
  ],
  ["address in Referer", header("Referer", `https://a.example/?access_token=${R}`), R],
  [
    "session in Referer",
    header("Referer", "https://a.example/p;jsessionid=A1B2C3D4E5?x=1"),
    "A1B2C3D4E5",
  ],
  ["password in Referer", header("Referer", "https://joe:t1de-pool@a.example/"), "t1de-pool"],
  ["WebSocket protocol", header("Sec-WebSocket-Protocol", `graphql-ws, bearer, ${R}`), R],
  ["query token", get("/x?token=tok_1f2e3d4c5b"), "tok_1f2e3d4c5b"],
  ["query access token", get(`/x?access_token=${HEX}`), HEX],
  ["query password, encoded", get("/x?password=t1de%26pool"), "t1de%26pool"],
  [
    "Azure signature",
    get("/b?sv=2024&sig=aB3%2Fd%2Be6gH9jK2mN5pQ8sT1vW4yZ7bC0eF%3D"),
    "aB3%2Fd%2Be6gH9j",
  ],
  ["AWS signature", get(`/b?X-Amz-Signature=${HEX}${HEX}`), HEX],
  ["authorization code", get("/cb?code=4%2F0AX4XfWh1234567890"), "0AX4XfWh1234567890"],
  ["sessionid", get("/x?sessionid=a1b2c3d4e5f6"), "a1b2c3d4e5f6"],
  ["session_id", get("/x?session_id=a1b2c3d4e5f6"), "a1b2c3d4e5f6"],
  ["sid", get("/x?sid=a1b2c3d4e5f6"), "a1b2c3d4e5f6"],
  ["PHPSESSID", get("/x?PHPSESSID=a1b2c3d4e5f6"), "a1b2c3d4e5f6"],
  ["subscription-key", get(`/x?subscription-key=${HEX}`), HEX],
  ["key", get(`/x?key=${R}`), R],
  ["jsessionid in a path", get("/shop/cart.do;jsessionid=A1B2C3D4E5F6"), "A1B2C3D4E5F6"],
  ["user and password before the host", get("https://joe:t1de-pool@api.example/x"), "t1de-pool"],
  ["token in a path", get(`/t/ghp_${R}1234`), `ghp_${R}1234`],
  ["Slack webhook", get(`https://hooks.slack.com/services/T0000/B0000/${R}`), R],
  ["Discord webhook", get(`https://discord.com/api/webhooks/1234567/${R}`), R],
  ["Telegram bot", get(`https://api.telegram.org/bot123456789:AA${R}x/sendMessage`), `AA${R}x`],
  ["form password", form({ user: "ada", password: "tide" }), "tide"],
  ["pwd", form({ log: "ada", pwd: "tide-pool" }), "tide-pool"],
  ["repeated password", form({ password_confirmation: "tide-pool" }), "tide-pool"],
  ["passphrase", form({ passphrase: "tide pool" }), "tide pool"],
  ["motdepasse", form({ motdepasse: "marée" }), "marée"],
  ["contraseña", form({ contraseña: "marea" }), "marea"],
  ["senha", form({ senha: "maré-1" }), "maré-1"],
  ["Passwort", form({ Passwort: "gezeiten" }), "gezeiten"],
  ["пароль", form({ пароль: "prilyv" }), "prilyv"],
  ["client secret", form({ client_secret: "c-secret" }), "c-secret"],
  ["refresh token", form({ grant_type: "refresh_token", refresh_token: "r-1" }), "r-1"],
  ["otp", form({ otp: "482913" }), "482913"],
  ["card number", form({ "card[number]": "4111 1111 1111 1111" }), "4111 1111"],
  ["cvv", form({ cvv: "737" }), "737"],
  ["cvv code", form({ cvv_code: "7370" }), "7370"],
  ["card security code", json({ card: { securityCode: "737" } }), "737"],
  ["verification code", form({ verification_code: "482913" }), "482913"],
  ["pw", form({ user: "ada", pw: "tide-pool" }), "tide-pool"],
  ["repeated pw", form({ userPw2: "tide-pool" }), "tide-pool"],
  ["signing key", json({ signing_key: "k-123456" }), "k-123456"],
  ["backup code", json({ backup_code: "4829-1300" }), "4829-1300"],
  ["recovery codes", json({ recoveryCodes: ["4829-1300"] }), "4829-1300"],
  ["recovery phrase", form({ recovery_phrase: "tide pool shell" }), "tide pool shell"],
  [
    "last argument of JSON-RPC",
    json({ jsonrpc: "2.0", id: 1, method: "auth.login", params: ["ada", "tide-pool"] }),
    "tide-pool",
  ],
  [
    "argument of JSON-RPC before a language",
    json({ id: 1, method: "common.login", params: ["shop", "ada", "tide-pool", "en"] }),
    "tide-pool",
  ],
  [
    "last argument within the parameters of JSON-RPC",
    json({
      jsonrpc: "2.0",
      method: "call",
      params: { service: "common", method: "login", args: ["shop", "ada", "tide-pool"] },
    }),
    "tide-pool",
  ],
  ["JSON password", json({ credentials: { oldPassword: "tide-pool" } }), "tide-pool"],
  ["JSON apiKey", json({ apiKey: "k-1" }), "k-1"],
  ["JSON token", json({ token: "t0k3n-5f1e" }), "t0k3n-5f1e"],
  ["JSON ssn", json({ ssn: "078-05-1120" }), "078-05-1120"],
  ["JSON label and text", json([{ label: "password", text: "tide-pool" }]), "tide-pool"],
  [
    "JSON name and list of values",
    json([{ id: "f1", name: "password", values: [{ v: "tide-pool" }] }]),
    "tide-pool",
  ],
  [
    "JSON name and value with other members",
    json([{ name: "password", required: true, value: "tide-pool" }]),
    "tide-pool",
  ],
  ["address in an address", get("/x?next=%2Flogin%3Fpassword%3Dtide-pool"), "tide-pool"],
  ["JSON list below a name", json({ passwords: ["tide-pool"] }), "tide-pool"],
  ["JSON map below a name", json({ password: { text: "tide-pool" } }), "tide-pool"],
  [
    "XML below a name",
    text("<a><password><v>tide-pool</v></password></a>", "text/xml"),
    "tide-pool",
  ],
  [
    "XML name and value",
    text("<p><name>password</name><value>tide-pool</value></p>", "text/xml"),
    "tide-pool",
  ],
  ["text with an encoded name", text("to /x?user%5Bpassword%5D=tide-pool now"), "tide-pool"],
  ["text with a Ruby map", text('{"password"=>"tide-pool"}'), "tide-pool"],
  ["JSON name and value", json([{ name: "password", value: "tide-pool" }]), "tide-pool"],
  [
    "inline GraphQL",
    json({ query: 'mutation { login(user: "a", password: "tide-pool") { id } }' }),
    "tide-pool",
  ],
  ["JSON in JSON", json({ body: '{"password":"tide-pool"}' }), "tide-pool"],
  ["AWS secret key", json({ secretAccessKey: "short" }), "short"],
  [
    "AWS secret key by its shape",
    json({ aws: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" }),
    "wJalrXUtnFEMI",
  ],
  ["PostgreSQL address", json({ dsn: "postgres://app:t1de-pool@db/app" }), "t1de-pool"],
  [
    "SQL Server connection",
    json({ dsn: "Server=db;User Id=sa;Password=t1de-pool;Encrypt=yes" }),
    "t1de-pool",
  ],
  ["Azure Storage connection", json({ c: `AccountName=a;AccountKey=${R}==;Suffix=x` }), R],
  ["multipart password", { request: "POST /x", multipart: { password: "tide-pool" } }, "tide-pool"],
  ["text/plain form", text("user=ada\r\npassword=tide-pool\r\n"), "tide-pool"],
  ["YAML text", text("user: ada\npassword: tide-pool\n"), "tide-pool"],
  ["XML element", text("<Login><Password>tide-pool</Password></Login>", "text/xml"), "tide-pool"],
  [
    "SOAP element",
    text('<wsse:Password Type="x">tide-pool</wsse:Password>', "text/xml"),
    "tide-pool",
  ],
  ["XML attribute", text('<login user="ada" password="tide-pool"/>', "text/xml"), "tide-pool"],
  ["private key", text(`-----BEGIN RSA PRIVATE KEY-----\n${R}\n-----END RSA PRIVATE KEY-----`), R],
  ["AWS key within text", text("deploy with AKIAABCDEFGHIJKLMNOP now"), "AKIAABCDEFGHIJKLMNOP"],
  ...CREDENTIALS.map((secret) => issued(secret.slice(0, 8), secret)),
];

/** Calls with ordinary values whose names and positions resemble those of credentials. */
const ORDINARY: Partial<CaseCall>[] = [
  get("/x?page_token=CAUQAA1234&next_token=abc12345&cursor_token=a1b2c3d4e5"),
  get("/x?code=SUMMER24&country_code=DE&currency_code=EUR&zip_code=12345"),
  get("/x?key=name&sort_key=price-2024&primary_key=12&keyboard=qwerty1234567890"),
  json({ key: "uploads/2024/0123456789-photo.jpg", id: { key: "sidebar-layout-v2-config-1" } }),
  get(`/x?key=pk_test_${R}`),
  get("/x?token_type=bearer&response_type=code&grant_type=password&session_start=1700000000"),
  get("/x?sid=1700000000&session=morning&signature=ada&sig=1"),
  get("/passwords/reset;v=2/design;width=1200"),
  get("/3f2a9c1d-0e4b-4c55-9f00-112233445566/assets/0123456789abcdef0123456789abcdef01234567"),
  header("Accept", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"),
  header("Sec-CH-UA", '"Chromium";v="130", "Not?A_Brand";v="99"'),
  header("Sec-WebSocket-Protocol", "graphql-transport-ws, base64.binary.k8s.io"),
  header("Referer", "https://a.example/login?next=%2Fpassword&page=2"),
  header("X-CSRF-Token", "a1b2c3d4e5f6g7h8"),
  form({ csrf_token: "a1b2c3d4e5f6", authenticity_token: "a1b2c3d4e5f6", remember_password: "no" }),
  form({ boarding_pass_count: "2", compass: "north", passenger: "Ada", author: "Ada" }),
  form({ password_strength: "strong", show_password: "true", secretary: "Joe", pin: "7" }),
  json({ tokens: 12, token: 12345, tokenize: "abc12345", pinned: "yes", opinion: "good12345" }),
  json({
    number: "4111111111111112",
    order_number: "123456789012",
    pan: "left",
    gpio: { pin: 13 },
  }),
  json([{ name: "colour", value: "blue-12345" }, { name: "password_hint", value: "the sea" }]),
  json({ credentials: { user: "ada", kind: "basic" } }),
  json({ message: "password: must have 8 characters", note: "See key = value pairs" }),
  json({ sha1: "0123456789abcdef0123456789abcdef01234567", at: "2024-05-01T10:00:00Z" }),
  json({ url: "https://a.example:8443/x", time: "10:20:30", ratio: "16:9" }),
  form({ pw: "1280", security_code: "AB12", verification_code: "", sms_code: "yes" }),
  json({ jsonrpc: "2.0", id: 1, method: "user.loginHistory", params: ["ada", "tide-pool"] }),
  text("name,price\ncoffee,12\n", "text/csv"),
  text("<Order><Key>a</Key><PasswordPolicy>strict</PasswordPolicy></Order>", "text/xml"),
];

function convert(call: Partial<CaseCall>, secrets: boolean) {
  const request = call.request ?? "GET /x";
  return convertHar(recordingOf([{ ...call, request }]), {
    secrets,
    groupByPage: true,
    explain: true,
    checks: "response",
    keepStatic: true,
  });
}

Deno.test("convertHar warns about every credential without showing it", () => {
  for (const [what, call, secret] of SHAPES) {
    const { notes, header, explanation } = convert(call, false);
    assert(notes.some(({ code }) => code === "literal-secret"), what);
    const shown = JSON.stringify([notes, header]);
    assert(!shown.includes(secret) || secret.length < 8, `${what}: ${shown}`);
    assert(secret.length < 8 || !explanation.join().includes(secret), what);
  }
});

Deno.test("with --secrets, the plan and its warnings contain no credential", () => {
  for (const [what, call, secret] of SHAPES) {
    const { plan, notes } = convert(call, true);
    assert(!JSON.stringify([plan, notes]).includes(secret), `${what}: ${JSON.stringify(plan)}`);
    const named = Object.entries(plan.secrets ?? {});
    assert(named.length > 0, what);
    for (const [name, source] of named) assertEquals(source, { env: `REHEARSE_${name}` }, what);
    assertEquals(
      checkPlan(plan).filter(({ severity }) => severity === "error"),
      [],
      what,
    );
  }
});

Deno.test("convertHar does not report ordinary values as credentials", () => {
  for (const call of ORDINARY) {
    const { plan, notes } = convert(call, true);
    assertEquals(plan.secrets, undefined, JSON.stringify(call));
    assertEquals(notes.filter(({ code }) => /secret/.test(code)), [], JSON.stringify(call));
  }
});

Deno.test("--group page hides credentials in page titles", () => {
  const recording = recordingOf([{ request: "GET /x" }]);
  const exchanges = recording.exchanges.map((one) => ({ ...one, page: "p" }));
  const pages = new Map([["p", `https://a.example/x?token=${R}`]]);
  const { plan } = convertHar({ ...recording, exchanges, pages }, { groupByPage: true });
  assertEquals(plan.scenarios.recorded.flow[0].group!.name, "https://a.example/x?token=********");
});

Deno.test("--secrets replaces base64 that contains a password, in any field", () => {
  const password = "s3cret-Pass9";
  const pair = btoa(`ada:${password}`);
  const blob = btoa(JSON.stringify({ user: "ada", pin_password: "other-Pass7" }));
  const harmless = btoa('{"user":"ada","page":"start"}');
  const recording = recordingOf([
    { request: "POST /login", json: { user: "ada", password } },
    { request: "POST /b", json: { auth: pair, blob, state: harmless } },
    { request: `GET /c?cred=${encodeURIComponent(pair)}` },
  ]);
  const { plan, notes } = convertHar(recording, { secrets: true });
  const [, sent, query] = plan.scenarios.recorded.flow.map(({ request }) => request!);
  assertEquals(sent.body, {
    json: { auth: "${secrets.AUTH}", blob: "${secrets.BLOB}", state: harmless },
  });
  assertEquals(query.url, "/c?cred=${url_encode(secrets.AUTH)}");
  const kept = convertHar(recording, {});
  for (const { message } of [...notes, ...kept.notes]) {
    assert(![password, pair, blob].some((secret) => message.includes(secret)), message);
  }
  assertEquals(kept.notes.filter(({ code }) => code === "literal-secret").length, 3);
});

// Fictional.
const PASSWORD = 'Tide pool+7"&<ü/9';
const KEY = "k-5f1e9a3b77";
const TOKEN = "t0k3nAbCdEf1234567890xyz";

const bytes = (text: string) => new TextEncoder().encode(text);
const base64 = (text: string) => bytes(text).toBase64();
const html = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
const url = encodeURIComponent(PASSWORD);

interface Call {
  readonly request: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly type?: string;
  readonly body?: string;
  readonly response?: Readonly<
    { status?: number; type?: string; text?: string; headers?: Readonly<Record<string, string>> }
  >;
}

const jsonCall = (request: string, value: unknown): Call => (
  { request, type: "application/json", body: JSON.stringify(value) }
);

/** Calls from whose fields `--secrets` moves the password, the key and the token. */
const NAMED: readonly Call[] = [
  {
    request: "POST /login",
    type: "application/x-www-form-urlencoded",
    body: `user=ada&password=${url.replaceAll("%20", "+")}`,
    response: { text: JSON.stringify({ echo: PASSWORD, name: "ada" }) },
  },
  { request: "GET /key", headers: { "X-Api-Key": KEY } },
  { request: "GET /bearer", headers: { Authorization: `Bearer ${TOKEN}` } },
];

const MULTIPART = `--XX\r\nContent-Disposition: form-data; name="note"\r\n\r\n${PASSWORD}\r\n` +
  `--XX\r\nContent-Disposition: form-data; name="f"; filename="${KEY}.txt"\r\n` +
  `Content-Type: text/plain\r\n\r\nfile ${TOKEN}\r\n--XX--\r\n`;

/** Other places of the same values, by name. Responses come last, so that no call reads them. */
const PLACES: Readonly<Record<string, Call>> = {
  "Basic credentials": {
    request: "GET /basic",
    headers: { Authorization: `Basic ${base64(`ada:${PASSWORD}`)}` },
  },
  "a query": { request: `GET /search?q=${url}&k=${KEY}&t=x${TOKEN}` },
  "a doubly encoded query": { request: `GET /go?next=${encodeURIComponent(`/s?q=${url}`)}` },
  "a path": { request: `GET /users/${url}/x/${KEY}/${TOKEN}.json` },
  "text in JSON": jsonCall("POST /note", { note: `my ${PASSWORD} is`, k: `x ${KEY} y`, t: TOKEN }),
  "JSON in JSON": jsonCall("POST /nested", { inner: JSON.stringify({ a: PASSWORD, t: TOKEN }) }),
  "HTML in JSON": jsonCall("POST /html", { h: `<b title="${html(PASSWORD)}">` }),
  "names in JSON": jsonCall("POST /names", { [KEY]: 1, [PASSWORD]: 2 }),
  "base64 in JSON": jsonCall("POST /base64", {
    d: base64(`{"note":"x ${PASSWORD}"}`),
    e: base64(`${KEY}:${TOKEN}`),
    f: base64(base64(PASSWORD)),
    g: base64(KEY),
  }),
  "hex in a query": {
    request: `GET /hex?d=${bytes(PASSWORD).toHex()}&k=${bytes(KEY).toHex().toUpperCase()}`,
  },
  "names in a form": {
    request: "POST /form",
    type: "application/x-www-form-urlencoded",
    body: `${KEY}=1&x=${TOKEN}`,
  },
  "plain text": {
    request: "POST /text",
    type: "text/plain",
    body: `${PASSWORD} and ${KEY}${TOKEN}`,
  },
  XML: {
    request: "POST /xml",
    type: "text/xml",
    body: `<a><b>${html(PASSWORD)}</b><c k="${KEY}">${TOKEN}</c></a>`,
  },
  "a multipart form": {
    request: "POST /mp",
    type: "multipart/form-data; boundary=XX",
    body: MULTIPART,
  },
  GWT: { request: "POST /gwt", type: "text/x-gwt-rpc", body: `7|0|4|http://h/|A|${KEY}|${TOKEN}|` },
  headers: {
    request: "GET /h",
    headers: { "X-Thing": KEY, "X-Other": `a=${TOKEN}; b=${url}`, Referer: `http://h/s?q=${url}` },
  },
  "a page": {
    request: "GET /page",
    response: { type: "text/html", text: `<title>Hello ${KEY} ${TOKEN}</title>` },
  },
  "a JSON response": {
    request: "GET /json",
    response: { text: JSON.stringify({ key: KEY, t: TOKEN, state: html(PASSWORD) }) },
  },
  "a redirect": {
    request: "GET /redirect",
    response: { status: 302, headers: { Location: `/landed?k=${KEY}&q=${url}` } },
  },
  "an excluded call": { request: `GET /${KEY}.png?p=${url}`, response: { type: "image/png" } },
  "a failed call": { request: `GET /missing?z=${KEY}-x`, response: { status: 404 } },
};

function harOf(calls: readonly Call[]): string {
  const startedDateTime = (order: number) =>
    new Date(Date.UTC(2026, 10, 21, 10, 0, order)).toISOString();
  const list = (headers: Readonly<Record<string, string>>) =>
    Object.entries(headers).map(([name, value]) => ({ name, value }));
  const entries = calls.map(({ request, headers = {}, type, body, response = {} }, order) => {
    const [method, target] = request.split(" ");
    const mimeType = response.type ?? "application/json";
    return {
      startedDateTime: startedDateTime(order),
      time: 20,
      pageref: "p1",
      request: {
        method,
        url: target.startsWith("/") ? `https://shop.example${target}` : target,
        headers: list({ ...headers, ...(type && { "Content-Type": type }) }),
        ...(body !== undefined && { postData: { mimeType: type, text: body } }),
      },
      response: {
        status: response.status ?? 200,
        headers: list({ "Content-Type": mimeType, ...response.headers }),
        content: { mimeType, text: response.text ?? "{}" },
      },
    };
  });
  const title = `https://shop.example/start?k=${KEY}&q=${url}`;
  const pages = [{ id: "p1", startedDateTime: startedDateTime(0), title, pageTimings: {} }];
  return JSON.stringify({ log: { version: "1.2", pages, entries } });
}

/** Converts the calls with `--secrets`. Returns all outputs of commands that read the plan. */
async function outputsFor(calls: readonly Call[]): Promise<Record<string, string>> {
  using folder = new CliFolder();
  const [har, plan, page] = ["a.har", "plan.yaml", "a.html"].map((name) =>
    `${folder.path}/${name}`
  );
  const outputs: Record<string, string> = {};
  const run = async (name: string, args: readonly string[]) => {
    const { code, stdout, stderr } = await runCli(args);
    assertEquals(code, 0, stderr);
    outputs[name] = `${stdout}\n${stderr}`;
  };
  await Deno.writeTextFile(har, harOf(calls));
  const detailed = ["--correlate", "all", "--checks=response", "--explain", "--group"];
  await run("warnings", ["convert", har, "--secrets", "--warnings", "json"]);
  await run("convert", ["convert", har, "--secrets", ...detailed, "--html", page, "-o", plan]);
  outputs.plan = await Deno.readTextFile(plan);
  outputs.page = await Deno.readTextFile(page);
  await run("export", ["export", "k6", plan]);
  await run("inspect", ["inspect", plan, "--all"]);
  await run("inspect as JSON", ["inspect", plan, "--format", "json"]);
  for (const format of ["text", "json", "html"]) {
    await run(`verify as ${format}`, ["verify", plan, "--har", har, "--format", format]);
  }
  return outputs;
}

const find = secretFinder([PASSWORD, KEY, TOKEN]);

Deno.test("a credential that `--secrets` moves is in no output, wherever else it was recorded", async () => {
  const outputs = await outputsFor([...NAMED, ...Object.values(PLACES)]);
  for (const name of ["PASSWORD", "X_API_KEY", "AUTHORIZATION"]) {
    assertStringIncludes(outputs.plan, `{secrets.${name}}`);
  }
  for (const [output, text] of Object.entries(outputs)) {
    const shown = find(text).map(({ start, end }) => text.slice(Math.max(0, start - 40), end));
    assertEquals(shown, [], output);
    for (const plain of [PASSWORD, KEY, TOKEN, url, base64(KEY), html(PASSWORD)]) {
      assert(!text.includes(plain), `${plain} in ${output}`);
    }
  }
});

Deno.test("`--secrets` leaves a credential in the plan and warns, if no expression can replace it everywhere", async () => {
  const outputs = await outputsFor([...NAMED, { request: `GET https://${KEY}.example/x` }]);
  assertStringIncludes(outputs.plan, `X-Api-Key: ${KEY}`);
  assertStringIncludes(outputs.warnings, "no secret can be used there");
  assertStringIncludes(outputs.plan, "password: ${secrets.PASSWORD}");
});
