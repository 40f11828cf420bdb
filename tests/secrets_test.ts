import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { CliFolder } from "./support/cli_folder.ts";

const SECRETS = { env: 'S3same & "öpen"/+?', file: "tok~en=in a file%" };

const PLAN = `
name: secretive
secrets:
  PASSWORD: { env: REHEARSE_TEST_PASSWORD }
  TOKEN: { file: token.txt }
scenarios:
  main:
    executor: per-vu-iterations
    vus: 1
    iterations: 1
    tags: { kept: "\${secrets.TOKEN}" }
    flow:
      - request:
          name: every place
          method: POST
          url: "/in/\${secrets.PASSWORD}?key=\${secrets.TOKEN}"
          headers: { authorization: "Bearer \${secrets.TOKEN}" }
          body: { form: { password: "\${secrets.PASSWORD}", token: "\${secrets.TOKEN}" } }
          extract:
            - { type: jsonpath, name: back, expression: "$.password" }
            - { type: jsonpath, name: absent, expression: "$.absent" }
          checks:
            - { type: body_contains, value: "\${secrets.PASSWORD}" }
      - request:
          name: as JSON, of what came back
          method: POST
          url: /json
          headers: { x-coded: "\${base64(back)}", x-query: "\${url_encode(back)}" }
          body: { json: { password: "\${back}", token: "\${secrets.TOKEN}" } }
          assert:
            - { type: body_contains, value: "not \${secrets.TOKEN}", on_failure: continue }
      - request: { name: "named \${secrets.PASSWORD}", url: "/\${back}", tags: { of: "\${back}" } }
      - request: { name: a host of secrets, url: "http://\${back}/" }
thresholds:
  http_reqs: ["count>1000"]
  "http_reqs{name:every place}": ["count>0"]
outputs:
  - { type: json, path: samples.jsonl }
  - { type: csv, path: samples.csv }
  - { type: otlp, endpoint: "PUSHED" }
`;

/** Returns a secret as plain text and in each reversible encoding. */
function forms(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret);
  return [
    secret,
    encodeURIComponent(secret),
    encodeURI(secret),
    new URLSearchParams({ k: secret }).toString().slice(2),
    JSON.stringify(secret).slice(1, -1),
    secret.replaceAll("&", "&amp;").replaceAll('"', "&quot;"),
    bytes.toBase64(),
    bytes.toBase64({ alphabet: "base64url", omitPadding: true }),
    bytes.toHex(),
  ];
}

const FILES = ["summary-export", "html", "junit"];
const REPORTS = FILES.map((name) => ` --${name} ./${name}`).join("");
const WORLD = { env: { GITHUB_STEP_SUMMARY: undefined } };

/** Returns a plan whose only iteration sends the requests of `steps`. */
const planOf = (...steps: string[]) =>
  "scenarios:\n  main:\n    executor: per-vu-iterations\n    vus: 1\n    iterations: 1\n" +
  `    flow:\n${steps.map((step) => `      - ${step}\n`).join("")}`;

/** Checks that texts contain none of `forms`, in upper or lower case. */
function assertHidden(what: string, texts: readonly string[], forms: readonly string[]): void {
  const text = texts.join("\n");
  for (const form of forms) {
    const at = text.toLowerCase().indexOf(form.toLowerCase());
    assertEquals(at, -1, `${what} contains ${form}: ${text.slice(Math.max(0, at - 200), at + 80)}`);
  }
}

for (const options of [" --once --bodies", " --once", "", " --workers 1"]) {
  Deno.test(`a run does not write secrets to any output: run${options}`, async () => {
    await using echo = echoing();
    using folder = new CliFolder({
      "token.txt": SECRETS.file + "\n",
      "plan.yaml": PLAN.replace("PUSHED", `${echo.origin}/v1/metrics`),
    });
    const line = `run ./plan.yaml --base-url ${echo.origin} --format github${options}${REPORTS}`;
    const { code, stdout, stderr } = await folder.run(line, [], {
      env: { ...WORLD.env, REHEARSE_TEST_PASSWORD: SECRETS.env },
    });
    const isOnce = options.includes("--once");
    assertEquals(code, isOnce ? 1 : 99, stderr);
    assertStringIncludes(echo.got[0], encodeURI(SECRETS.env));
    const outputs = isOnce ? [] : ["samples.jsonl", "samples.csv"];
    const texts = [...FILES, ...outputs].map((name) => folder.read(name));
    if (!isOnce) texts.push(echo.pushed.join("\n"));
    assertEquals(texts.map(({ length }) => length > 100), texts.map(() => true));
    assertEquals(echo.pushed.length > 0, !isOnce);
    assertHidden("the run", [stdout, stderr, ...texts], Object.values(SECRETS).flatMap(forms));
  });
}

for (const options of [" --once --bodies", ""]) {
  Deno.test(`a run does not write passwords from URLs to any output: run${options}`, async () => {
    await using echo = echoing();
    const base = echo.origin.replace("//", "//joe:s3cret@");
    using folder = new CliFolder({
      "plan.yaml": planOf(
        `request: { url: "${base}/absolute" }`,
        `request: { url: /relative, method: POST, body: { form: { back: s3cret } } }`,
        `request: { url: "http://joe:s3cret@127.0.0.1:1/refused" }`,
      ),
    });
    const ran = await folder.run(`run ./plan.yaml --base-url ${base}${options}${REPORTS}`);
    const checked = await folder.run(`validate ./plan.yaml --base-url ${base}`);
    assertEquals(echo.got.length, 2, ran.stderr);
    const texts = [ran.stdout, ran.stderr, checked.stdout, checked.stderr];
    texts.push(...FILES.map((name) => folder.read(name)));
    assertHidden("the run", texts, ["s3cret", btoa("s3cret"), btoa("joe:s3cret")]);
  });
}

/** Secrets that a URL can have in place of its host, and texts that no output may contain. */
const HOSTS: Readonly<Record<string, readonly string[]>> = {
  "Zq3xK9Yw7tail": [],
  "Zq3xK9/Yw7tail": ["zq3xk9", "yw7tail"],
  "joe:pW1xQ7z@Zq3xK9/Yw7tail": ["pw1xq7z", "zq3xk9", "yw7tail"],
  "Zq3xK9 Bn4mV5:Yw7tail": ["zq3xk9", "bn4mv5", "yw7tail"],
  "Zq3xK9.invalid:70000": ["zq3xk9"],
  "Zq3xK9ö-tail": ["xn--"],
};

/** Requests that fail because of `TOKEN`, and what the error must contain instead of its value. */
const FAILING: readonly (readonly [step: string, ...shown: string[]])[] = [
  ['request: { url: "http://TOKEN/" }'],
  ['request: { url: "http://TOKEN.invalid/x" }'],
  ['request: { url: "https://TOKEN:x/" }'],
  ['request: { url: "http://127.0.0.1:TOKEN/" }', 'cannot send to "http://127.0.0.1:TOKEN/"'],
  ['request: { url: "TOKEN://x/" }'],
  ['websocket: { url: "ws://TOKEN/", steps: [{ think_time: 1ms }] }'],
  ['request: { url: "http://127.0.0.1:1/TOKEN", headers: { X-A: "a\\nTOKEN" } }'],
  ['request: { url: "http://127.0.0.1:1/${random_int(NAME, 3)}" }'],
  ['request: { url: "ECHO/to?http://TOKEN/", follow_redirects: true }'],
  ['request: { url: "ECHO/to?ftp://TOKEN/", follow_redirects: true }'],
];

for (const [secret, parts] of Object.entries(HOSTS)) {
  Deno.test(`errors do not contain a secret in the place of a host: ${secret}`, async () => {
    await using echo = echoing();
    const env = { REHEARSE_TEST_TOKEN: secret };
    for (const reference of ["secrets.TOKEN", "env.REHEARSE_TEST_TOKEN"]) {
      for (const [step, ...shown] of FAILING) {
        const filled = (text: string) =>
          text.replaceAll("ECHO", echo.origin).replaceAll("TOKEN", `\${${reference}}`)
            .replaceAll("NAME", reference);
        const head = "secrets: { TOKEN: { env: REHEARSE_TEST_TOKEN } }\n";
        using folder = new CliFolder({ "plan.yaml": head + planOf(filled(step)) });
        for (const options of [" --once --bodies", REPORTS]) {
          const { stdout, stderr } = await folder.run(`run ./plan.yaml${options}`, [], { env });
          if (!/\W/.test(secret)) {
            for (const text of shown) assertStringIncludes(stdout + stderr, filled(text));
          }
          const written = folder.names().filter((name) => FILES.includes(name));
          const texts = [stdout, stderr, ...written.map((name) => folder.read(name))];
          assertHidden(step, texts, [secret, ...parts]);
        }
      }
    }
  });
}

/** Password in the URLs of the following tests. It contains no special characters. */
const URL_PASSWORD = "pass9999";
const URL_FORMS = [URL_PASSWORD, btoa(`joe:${URL_PASSWORD}`)];

/** Runs commands, which must print something, but not the password. */
async function runAll(folder: CliFolder, ...lines: string[]): Promise<void> {
  for (const line of lines) {
    const { stdout, stderr } = await folder.run(line, [], WORLD);
    assert(stdout.length + stderr.length > 0, line);
    assertHidden(line, [stdout, stderr], URL_FORMS);
  }
}

const SOCKET_PLAN = `
variables: { root: "http://joe:${URL_PASSWORD}@127.0.0.1:1" }
scenarios:
  main:
    executor: per-vu-iterations
    vus: 1
    iterations: 1
    flow:
      - websocket: { url: "ws://joe:${URL_PASSWORD}@127.0.0.1:1/refused", steps: [{ think_time: 1ms }] }
      - websocket: { url: "wss://joe:${URL_PASSWORD}@127.0.0.1:1/refused", steps: [{ think_time: 1ms }] }
      - request: { url: "\${vars.root}/x" }
outputs:
  - { type: otlp, endpoint: "http://joe:${URL_PASSWORD}@127.0.0.1:1" }
`;

Deno.test("no command prints a password in the URL of a WebSocket, variable or output", async () => {
  const long = `request: { timeout: "http://joe:${URL_PASSWORD}@h/${"x".repeat(50)}", urls`;
  using folder = new CliFolder({
    "plan.yaml": SOCKET_PLAN,
    "a.yaml": SOCKET_PLAN.replaceAll("refused", "b"),
    "bad.yaml": SOCKET_PLAN.replace("request: { url", long) +
      `thresholds: { "http_reqs{name:ftp://joe:${URL_PASSWORD}@h/}": ["count>1"] }\n`,
  });
  const base = `--base-url http://joe:${URL_PASSWORD}@127.0.0.1:1`;
  await runAll(
    folder,
    `run ./plan.yaml${REPORTS} --format github`,
    "run ./plan.yaml --once --bodies",
    `run ./plan.yaml ${base}`,
    `run ./plan.yaml --base-url ftp://joe:${URL_PASSWORD}@h`,
    `run ./plan.yaml --base-url joe:${URL_PASSWORD}@h`,
    `inspect ./plan.yaml ${base}`,
    "inspect ./plan.yaml --format json",
    "diff ./plan.yaml ./a.yaml",
    "diff ./plan.yaml ./a.yaml --format json",
    "validate ./bad.yaml",
    "validate ./bad.yaml --format json",
    "validate ./bad.yaml --format github",
    "report ./summary-export",
    "merge ./summary-export",
    `run ./plan.yaml --shards 2 --fleet nats://${URL_PASSWORD}@h`,
    `run ./plan.yaml --shards 2 --fleet bus://joe:${URL_PASSWORD}@h/r`,
  );
  for (const name of FILES) assertHidden(name, [folder.read(name)], URL_FORMS);
});

Deno.test("a run does not write credentials from the plan's headers to any output", async () => {
  await using echo = echoing();
  const token = "tok-9f8e7d6c5b4a";
  const headers = `{ authorization: "Bearer ${token}" }`;
  const steps = planOf(
    `request: { url: /, headers: ${headers}, body: { json: { token: "${token}" } } }`,
  );
  using folder = new CliFolder({
    "plan.yaml": `
defaults: { http: { headers: { Proxy-Authorization: "Custom ${token}0" } } }
${steps}outputs:
  - { type: otlp, endpoint: "${echo.origin}/v1/metrics", headers: ${headers} }
`,
  });
  const ran = await folder.run(`run ./plan.yaml --base-url ${echo.origin}${REPORTS}`);
  assertEquals(ran.code, 0, ran.stderr);
  const once = await folder.run(`run ./plan.yaml --base-url ${echo.origin} --once --bodies`);
  assertStringIncludes(once.stdout, "authorization: Bearer ********");
  const texts = [ran, once].flatMap(({ stdout, stderr }) => [stdout, stderr]);
  texts.push(...FILES.map((name) => folder.read(name)));
  assert(texts.some((text) => text.includes("Custom ********")));
  assertHidden("the run", texts, [token]);
});

Deno.test("commands that write plans do not print passwords from `--base-url` or from edited plans", async () => {
  using folder = new CliFolder({
    "access.log": '203.0.113.5 - - [21/Nov/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 1\n',
  });
  const at = `joe:${URL_PASSWORD}@h.example`;
  const update = "convert ./access.log --update ./plan.yaml --base-url";
  await runAll(
    folder,
    `convert ./access.log --base-url ftp://${at}`,
    `convert ./access.log --base-url ${at}`,
    `init ./access.log -o ./first.yaml --base-url ftp://${at}`,
    `init ./access.log -o ./first.yaml --base-url ${at}`,
    `calibrate plan.yaml --har a.har --base-url ftp://${at}`,
    `${update} http://a.example`,
  );
  const edited = `//joe:${URL_PASSWORD}@c.example`;
  folder.write("plan.yaml", folder.read("plan.yaml").replace("//a.example", edited));
  const { stderr } = await folder.run(`${update} http://b.example`);
  assertStringIncludes(stderr, 'kept your "http://joe:********@c.example"');
  assertHidden("edit-conflict", [stderr], URL_FORMS);
});

/**
 * Starts a server that responds to a form or JSON with the same data as JSON. Records pushed
 * metrics separately from other requests.
 */
function echoing() {
  const got: string[] = [];
  const pushed: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const text = await request.text();
    if (request.url.endsWith("/v1/metrics")) pushed.push(text);
    else got.push(request.url + text);
    const [, location] = /\/to\?(.*)/.exec(request.url) ?? [];
    if (location !== undefined) return new Response(null, { status: 302, headers: { location } });
    const isJson = text.startsWith("{");
    return Response.json(isJson ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text)));
  });
  return {
    got,
    pushed,
    origin: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
