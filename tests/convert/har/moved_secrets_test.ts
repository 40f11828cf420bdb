import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { secretFinder } from "../../../src/base/redactor.ts";
import { runCli } from "../../support/cli.ts";
import { CliFolder } from "../../support/cli_folder.ts";

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

const json = (request: string, value: unknown): Call => (
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
  "text in JSON": json("POST /note", { note: `my ${PASSWORD} is`, k: `x ${KEY} y`, t: TOKEN }),
  "JSON in JSON": json("POST /nested", { inner: JSON.stringify({ a: PASSWORD, t: TOKEN }) }),
  "HTML in JSON": json("POST /html", { h: `<b title="${html(PASSWORD)}">` }),
  "names in JSON": json("POST /names", { [KEY]: 1, [PASSWORD]: 2 }),
  "base64 in JSON": json("POST /base64", {
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
  const detailed = ["--correlate", "all", "--checks=response", "--explain", "--group", "--verify"];
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
