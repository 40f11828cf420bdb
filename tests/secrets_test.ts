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

/** Returns the encodings of a secret from which it could be recovered. */
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
  Deno.test(`a run writes no secrets to any output: run ${options.join(" ")}`, async () => {
    const folder = await Deno.makeTempDir();
    await using echo = echoing();
    Deno.env.set("REHEARSE_TEST_PASSWORD", SECRETS.env);
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
      const { code, stdout, stderr } = await runCli(args);
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
      Deno.env.delete("REHEARSE_TEST_PASSWORD");
      await Deno.remove(folder, { recursive: true });
    }
  });
}

for (const options of [["--once", "--bodies"], []]) {
  Deno.test(`a run writes no passwords from URLs to any output: run ${options.join(" ")}`, async () => {
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

function assertNoSecret(name: string, text: string): void {
  for (const form of Object.values(SECRETS).flatMap(forms)) {
    const at = text.indexOf(form);
    assertEquals(at, -1, `${name} holds ${form}: ${text.slice(Math.max(0, at - 80), at + 80)}`);
  }
}

/**
 * Starts a server that responds to a form or JSON with the same data as JSON. It keeps pushed
 * metrics separate from other requests.
 */
function echoing() {
  const got: string[] = [];
  const pushed: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const text = await request.text();
    if (request.url.endsWith("/v1/metrics")) pushed.push(text);
    else got.push(request.url + text);
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
