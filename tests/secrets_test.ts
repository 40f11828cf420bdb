import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { runCli } from "./support/cli.ts";

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

for (const options of [["--once", "--bodies"], ["--once"], [], ["--workers", "1"]]) {
  Deno.test(`a run does not write secrets to any output: run ${options.join(" ")}`, async () => {
    const folder = await Deno.makeTempDir();
    await using echo = echoing();
    try {
      await Deno.writeTextFile(`${folder}/token.txt`, SECRETS.file + "\n");
      await Deno.writeTextFile(
        `${folder}/plan.yaml`,
        PLAN.replace("PUSHED", `${echo.origin}/v1/metrics`),
      );
      const files = ["summary-export", "html", "junit"].flatMap((
        f,
      ) => [`--${f}`, `${folder}/${f}`]);
      const to = ["--base-url", echo.origin, "--format", "github"];
      const args = ["run", `${folder}/plan.yaml`, ...to, ...options, ...files];
      const { code, stdout, stderr } = await runCli(args, {
        env: { REHEARSE_TEST_PASSWORD: SECRETS.env, GITHUB_STEP_SUMMARY: undefined },
      });
      assertEquals(code, options.includes("--once") ? 1 : 99, stderr);
      assertStringIncludes(echo.got[0], encodeURI(SECRETS.env));
      const written: Record<string, string> = { stdout, stderr };
      const outputs = options.includes("--once") ? [] : ["samples.jsonl", "samples.csv"];
      for (const name of ["summary-export", "html", "junit", ...outputs]) {
        written[name] = await Deno.readTextFile(`${folder}/${name}`);
        assert(written[name].length > 100, name);
      }
      written.pushed = echo.pushed.join("\n");
      assertEquals(written.pushed.length > 100, outputs.length > 0);
      for (const [name, text] of Object.entries(written)) assertNoSecret(name, text);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}

for (const options of [["--once", "--bodies"], []]) {
  Deno.test(`a run does not write passwords from URLs to any output: run ${options.join(" ")}`, async () => {
    const folder = await Deno.makeTempDir();
    await using echo = echoing();
    const base = echo.origin.replace("//", "//joe:s3cret@");
    const flow = [
      `- request: { url: "${base}/absolute" }`,
      `- request: { url: /relative, method: POST, body: { form: { back: s3cret } } }`,
      `- request: { url: "http://joe:s3cret@127.0.0.1:1/refused" }`,
    ];
    try {
      await Deno.writeTextFile(
        `${folder}/plan.yaml`,
        `scenarios:\n  main:\n    executor: per-vu-iterations\n    vus: 1\n    iterations: 1\n` +
          `    flow:\n${flow.map((step) => `      ${step}\n`).join("")}`,
      );
      const files = ["summary-export", "html", "junit"];
      const args = ["run", `${folder}/plan.yaml`, "--base-url", base, ...options];
      const ran = await runCli([...args, ...files.flatMap((f) => [`--${f}`, `${folder}/${f}`])]);
      const checked = await runCli(["validate", `${folder}/plan.yaml`, "--base-url", base]);
      assertEquals(echo.got.length, 2, ran.stderr);
      const texts = [ran.stdout, ran.stderr, checked.stdout, checked.stderr];
      for (const name of files) texts.push(await Deno.readTextFile(`${folder}/${name}`));
      for (const text of texts) {
        for (const form of ["s3cret", btoa("s3cret"), btoa("joe:s3cret")]) {
          const at = text.indexOf(form);
          assertEquals(at, -1, text.slice(Math.max(0, at - 200), at + 80));
        }
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
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
    const folder = await Deno.makeTempDir();
    await using echo = echoing();
    const env = { REHEARSE_TEST_TOKEN: secret };
    try {
      for (const reference of ["secrets.TOKEN", "env.REHEARSE_TEST_TOKEN"]) {
        for (const [step, ...shown] of FAILING) {
          const filled = (text: string) =>
            text.replaceAll("ECHO", echo.origin).replaceAll("TOKEN", `\${${reference}}`)
              .replaceAll("NAME", reference);
          await Deno.writeTextFile(
            `${folder}/plan.yaml`,
            `secrets: { TOKEN: { env: REHEARSE_TEST_TOKEN } }\nscenarios:\n  main:\n` +
              `    executor: per-vu-iterations\n    vus: 1\n    iterations: 1\n    flow:\n` +
              `      - ${filled(step)}\n`,
          );
          const files = ["html", "summary-export"];
          const outputs = files.flatMap((name) => [`--${name}`, `${folder}/${name}`]);
          for (const options of [["--once", "--bodies"], outputs]) {
            const ran = await runCli(["run", `${folder}/plan.yaml`, ...options], { env });
            const texts = [ran.stdout, ran.stderr];
            if (!/\W/.test(secret)) {
              for (const text of shown) assertStringIncludes(texts.join(), filled(text));
            }
            if (options === outputs) {
              for (const name of files) {
                texts.push(await Deno.readTextFile(`${folder}/${name}`).catch(() => ""));
              }
            }
            for (const part of [secret, ...parts]) {
              const at = texts.join("\n").toLowerCase().indexOf(part.toLowerCase());
              const found = texts.join("\n").slice(Math.max(0, at - 200), at + 40);
              assertEquals(at, -1, `${step}: ${found}`);
            }
          }
        }
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}

/** Password in the URLs of the following tests. It contains no special characters. */
const URL_PASSWORD = "pass9999";

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
  const folder = await Deno.makeTempDir();
  const path = (name: string) => `${folder}/${name}`;
  try {
    await Deno.writeTextFile(path("plan.yaml"), SOCKET_PLAN);
    await Deno.writeTextFile(path("a.yaml"), SOCKET_PLAN.replaceAll("refused", "b"));
    await Deno.writeTextFile(
      path("bad.yaml"),
      SOCKET_PLAN.replace(
        "request: { url",
        `request: { timeout: "http://joe:${URL_PASSWORD}@h/${"x".repeat(50)}", urls`,
      ) + `thresholds: { "http_reqs{name:ftp://joe:${URL_PASSWORD}@h/}": ["count>1"] }\n`,
    );
    const files = ["summary-export", "html", "junit"];
    const to = files.flatMap((name) => [`--${name}`, path(name)]);
    const base = ["--base-url", `http://joe:${URL_PASSWORD}@127.0.0.1:1`];
    const plans = [path("plan.yaml"), path("a.yaml")];
    const lines = [
      ["run", plans[0], ...to, "--format", "github"],
      ["run", plans[0], "--once", "--bodies"],
      ["run", plans[0], ...base],
      ["run", plans[0], "--base-url", `ftp://joe:${URL_PASSWORD}@h`],
      ["run", plans[0], "--base-url", `joe:${URL_PASSWORD}@h`],
      ["inspect", plans[0], ...base],
      ["inspect", plans[0], "--format", "json"],
      ["diff", ...plans],
      ["diff", ...plans, "--format", "json"],
      ["validate", path("bad.yaml")],
      ["validate", path("bad.yaml"), "--format", "json"],
      ["validate", path("bad.yaml"), "--format", "github"],
      ["report", path("summary-export")],
      ["merge", path("summary-export")],
      ["run", plans[0], "--shards", "2", "--fleet", `nats://${URL_PASSWORD}@h`],
      ["run", plans[0], "--shards", "2", "--fleet", `bus://joe:${URL_PASSWORD}@h/r`],
    ];
    for (const line of lines) {
      const { stdout, stderr } = await runCli(line, { env: { GITHUB_STEP_SUMMARY: undefined } });
      assert(stdout.length + stderr.length > 0, line.join(" "));
      assertNoUrlPassword(line.join(" "), stdout + stderr);
    }
    for (const name of files) assertNoUrlPassword(name, await Deno.readTextFile(path(name)));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a run does not write credentials from the plan's headers to any output", async () => {
  const folder = await Deno.makeTempDir();
  await using echo = echoing();
  const token = "tok-9f8e7d6c5b4a";
  const headers = (scheme: string) => `{ authorization: "${scheme} ${token}" }`;
  try {
    await Deno.writeTextFile(
      `${folder}/plan.yaml`,
      `
defaults: { http: { headers: { Proxy-Authorization: "Custom ${token}0" } } }
scenarios:
  main:
    executor: per-vu-iterations
    vus: 1
    iterations: 1
    flow:
      - request: { url: /, headers: ${headers("Bearer")}, body: { json: { token: "${token}" } } }
outputs:
  - { type: otlp, endpoint: "${echo.origin}/v1/metrics", headers: ${headers("Bearer")} }
`,
    );
    const files = ["summary-export", "html", "junit"];
    const args = ["run", `${folder}/plan.yaml`, "--base-url", echo.origin];
    const ran = await runCli([...args, ...files.flatMap((f) => [`--${f}`, `${folder}/${f}`])]);
    assertEquals(ran.code, 0, ran.stderr);
    const once = await runCli([...args, "--once", "--bodies"]);
    assertStringIncludes(once.stdout, "authorization: Bearer ********");
    const texts = [ran, once].flatMap(({ stdout, stderr }) => [stdout, stderr]);
    for (const name of files) texts.push(await Deno.readTextFile(`${folder}/${name}`));
    assert(texts.some((text) => text.includes("Custom ********")));
    for (const text of texts) assertEquals(text.includes(token), false);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("commands that write plans do not print passwords from `--base-url` or from edited plans", async () => {
  const folder = await Deno.makeTempDir();
  const path = (name: string) => `${folder}/${name}`;
  const log = '203.0.113.5 - - [21/Nov/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 1\n';
  const base = (scheme: string) => ["--base-url", `${scheme}joe:${URL_PASSWORD}@h.example`];
  try {
    await Deno.writeTextFile(path("access.log"), log);
    const convert = ["convert", path("access.log"), "--update", path("plan.yaml")];
    const init = ["init", path("access.log"), "-o", path("first.yaml")];
    for (
      const line of [
        ...["ftp://", ""].map((scheme) => ["convert", path("access.log"), ...base(scheme)]),
        ...["ftp://", ""].map((scheme) => [...init, ...base(scheme)]),
        ["calibrate", "plan.yaml", "--har", "a.har", ...base("ftp://")],
        [...convert, "--base-url", "http://a.example"],
      ]
    ) {
      const { stdout, stderr } = await runCli(line, { env: { GITHUB_STEP_SUMMARY: undefined } });
      assert(stdout.length + stderr.length > 0, line.join(" "));
      assertNoUrlPassword(line.join(" "), stdout + stderr);
    }
    const plan = await Deno.readTextFile(path("plan.yaml"));
    const edited = plan.replace("//a.example", `//joe:${URL_PASSWORD}@c.example`);
    await Deno.writeTextFile(path("plan.yaml"), edited);
    const { stderr } = await runCli([...convert, "--base-url", "http://b.example"]);
    assertStringIncludes(stderr, 'kept your "http://joe:********@c.example"');
    assertNoUrlPassword("edit-conflict", stderr);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

function assertNoUrlPassword(name: string, text: string): void {
  for (const form of [URL_PASSWORD, btoa(`joe:${URL_PASSWORD}`)]) {
    const at = text.indexOf(form);
    assertEquals(at, -1, `${name}: ${text.slice(Math.max(0, at - 120), at + 80)}`);
  }
}

function assertNoSecret(name: string, text: string): void {
  for (const form of Object.values(SECRETS).flatMap(forms)) {
    const at = text.indexOf(form);
    assertEquals(at, -1, `${name} holds ${form}: ${text.slice(Math.max(0, at - 80), at + 80)}`);
  }
}

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
