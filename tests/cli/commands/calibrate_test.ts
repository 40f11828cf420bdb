import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { parseHtml, selectCss } from "../../../src/extract/parse_html.ts";
import { runCli } from "../../support/cli.ts";
import { serverPair } from "../../support/test_certificates.ts";
import { wireServer } from "../../support/wire_server.ts";
import { type CreateApp, ModelBrowser, serveModel } from "../../support/model_app.ts";
import { CSRF_SHOP, type Model, rateLimited, UNIQUE_TITLES } from "../../support/model_apps.ts";
import { TempFolder } from "../../support/temp_folder.ts";

/**
 * Calls `use` with a plan that lacks the extractors for HTML and headers, its recording and the
 * origin of a running application.
 */
async function withModel(
  use: (at: { plan: string; har: string; origin: string; folder: string }) => Promise<void>,
  live: CreateApp = CSRF_SHOP.create,
  model: Model = CSRF_SHOP,
): Promise<void> {
  using temp = new TempFolder();
  const folder = temp.path;
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    serveModel(live(2)),
  );
  try {
    const browser = new ModelBrowser(model.create(1));
    model.use(browser);
    const har = `${folder}/session.har`;
    const plan = `${folder}/plan.yaml`;
    await Deno.writeTextFile(har, browser.har);
    assertEquals((await runCli(["convert", har, "--correlate", "json", "-o", plan])).code, 0);
    await use({ plan, har, origin: `http://127.0.0.1:${server.addr.port}`, folder });
  } finally {
    await server.shutdown();
  }
}

Deno.test("calibrate repairs the plan in place, and the repaired plan runs", async () => {
  await withModel(async ({ plan, har, origin }) => {
    const { code, stdout, stderr } = await runCli(
      ["calibrate", plan, "--har", har, "--base-url", origin, "-o", plan],
    );
    assertEquals(code, 0, stdout + stderr);
    assertMatch(
      stderr,
      /^Sending requests to http:\/\/127\.0\.0\.1:\d+: pass 1 sends 7 requests, including 3 writes; at most 133 writes in all rounds\npass 1 …\npass 2 …\n2 users, 2 iterations \(round 1 of at most 3\) …\nnext: [^\n]+\n$/,
    );
    assertStringIncludes(
      stdout,
      `proven against ${origin}: 7 of 7 calls did their work for 2 users in 2 iterations\n`,
    );
    assertStringIncludes(await Deno.readTextFile(plan), `# Calibrated against ${origin}: proven`);
    const run = await runCli(["run", plan, "--once"]);
    assertEquals(run.code, 0, run.stdout + run.stderr);
  });
});

Deno.test("calibrate prints the number of the current call every five seconds", async () => {
  await withModel(async ({ plan, har, origin }) => {
    let time = Date.UTC(2030, 0, 1);
    const { stderr } = await runCli(
      ["calibrate", plan, "--har", har, "--base-url", origin, "-o", plan],
      { now: () => time += 1_000 },
    );
    const [, first] = stderr.split(/^pass 1 …\n|^pass 2 …\n/m);
    assertMatch(first, /^(?: {2}call [2-7] of 7 …\n){1,3}$/);
  });
});

Deno.test("calibrate keeps the comments and the formatting of everything that it does not change", async () => {
  await withModel(async ({ plan, har, origin }) => {
    const given = "# For the release.\n" + (await Deno.readTextFile(plan))
      .replace(/^( +)method: GET$/m, "$1method:   'GET'   # the login page")
      .replace(/^( +)- request:$/gm, "$1# A step.\n$1- request:")
      .replace(/^(scenarios:)$/m, "\n\n$1 # one user");
    await Deno.writeTextFile(plan, given);
    const args = ["calibrate", plan, "--har", har, "--base-url", origin, "-o", plan];
    assertEquals((await runCli(args)).code, 0);
    const written = await Deno.readTextFile(plan);
    assertStringIncludes(written, "- type: ");
    const lines = written.split("\n");
    const changed = given.split("\n").filter((line) => !lines.includes(line));
    assertEquals(changed.filter((line) => line.includes("#")), []);
    const moved = /base_url|Referer|Origin|csrf: |url: \/orders\/\d|sid=/;
    assertEquals(changed.filter((line) => !moved.test(line)), []);
    assertEquals(written.match(/# A step\./g)?.length, 7);
    // Another calibration replaces the line with the result, and changes nothing else.
    assertEquals((await runCli(args)).code, 0);
    assertEquals(await Deno.readTextFile(plan), written);
  });
});

Deno.test("calibrate reports that comments are lost if it cannot edit the plan's text", async () => {
  await withModel(async ({ plan, har, origin }) => {
    const text = await Deno.readTextFile(plan);
    const shared = text.replace(
      /name: GET \/orders\/5007\n( +)method: GET\n +url: \/orders\/5007\n/,
      "url: &order /orders/5007\n$1method: GET\n$1name: *order # as the URL\n",
    );
    await Deno.writeTextFile(plan, shared);
    const { code, stderr } = await runCli(
      ["calibrate", plan, "--har", har, "--base-url", origin, "-o", plan],
    );
    assertEquals(code, 0);
    assertStringIncludes(stderr, "The plan was written without its comments");
    const written = await Deno.readTextFile(plan);
    assertStringIncludes(written, "name: /orders/5007\n");
    assertEquals([shared, written].map((text) => text.includes("# as the URL")), [true, false]);
  });
});

Deno.test("calibrate --html writes a page with the repaired values and their edits", async () => {
  await withModel(async ({ plan, har, origin, folder }) => {
    const html = `${folder}/review.html`;
    const args = ["calibrate", plan, "--har", har, "--base-url", origin, "-o", plan];
    const { code, stderr } = await runCli([...args, "--html", html]);
    assertEquals(code, 0, stderr);
    const page = parseHtml(await Deno.readTextFile(html));
    const texts = (selector: string) => [...selectCss(selector, undefined, page)];
    assertStringIncludes(texts(".verdict")[0]!, `proven against ${origin}: 7 of 7 calls`);
    assertEquals(texts('[aria-label="Calls"] tbody th').length, 7);
    const results = texts('[aria-label="Values"] tbody td:nth-child(2)');
    assertEquals(results.includes("repaired"), true, results.join());
    assertMatch(
      texts("pre.edit")[0]!,
      /^# request 1 .*\nextract:\n {2}- type: \w+\n {4}name: csrf\n/,
    );
  });
});

Deno.test("calibrate --html shows how the responses differ if the target is down", async () => {
  await withModel(async ({ plan, har, folder }) => {
    const html = `${folder}/review.html`;
    const args = ["calibrate", plan, "--har", har, "--base-url", "http://127.0.0.1:1", "-o", plan];
    assertEquals((await runCli([...args, "--html", html])).code, 1);
    const page = parseHtml(await Deno.readTextFile(html));
    const results = [...selectCss('[aria-label="Calls"] tbody td.bad', undefined, page)];
    assertEquals([results.length, results[0]], [7, "no response"]);
  });
});

Deno.test("calibrate --html refuses to replace the plan and the recording", async () => {
  await withModel(async ({ plan, har, origin, folder }) => {
    for (const file of [plan, har]) {
      const args = ["calibrate", plan, "--har", har, "--base-url", origin, "--html", file];
      const { code, stderr } = await runCli(args);
      assertEquals(code, 2);
      assertStringIncludes(stderr, `cannot write to ${file}`);
    }
    const both = `${folder}/out`;
    const args = ["calibrate", plan, "--har", har, "--base-url", origin];
    assertEquals((await runCli([...args, "-o", both, "--html", both])).code, 2);
  });
});

Deno.test("without -o, calibrate --format json prints the plan to standard output and the report to standard error", async () => {
  await withModel(async ({ plan, har, origin }) => {
    const args = ["calibrate", plan, "--har", har, "--base-url", origin, "--format", "json"];
    const { code, stdout, stderr } = await runCli(args);
    assertEquals(code, 0, stderr);
    assertStringIncludes(stdout, "name: csrf");
    const report = JSON.parse(stderr.slice(stderr.indexOf("{")));
    assertEquals([report.proven, report.calls.length, report.writes.limit], [true, 7, 133]);
  });
});

Deno.test("calibrate suggests fixing the TLS error if the target's certificate is rejected", async () => {
  await withModel(async ({ plan, har }) => {
    await using server = wireServer((peer) => peer.untilClosed(), serverPair());
    const target = `https://127.0.0.1:${server.port}`;
    const { code, stdout, stderr } = await runCli(
      ["calibrate", plan, "--har", har, "--base-url", target, "-o", plan],
    );
    assertEquals(code, 1);
    assertStringIncludes(stdout, "invalid peer certificate: UnknownIssuer (to trust the issuer,");
    const next = `next: fix the TLS error above, or check that ${target} is the right address\n`;
    assertStringIncludes(stderr, next);
  });
});

Deno.test("calibrate leaves the plan unchanged if nothing listens at the target", async () => {
  await withModel(async ({ plan, har }) => {
    const before = await Deno.readTextFile(plan);
    const base = ["--base-url", "http://127.0.0.1:1"];
    const { code, stdout, stderr } = await runCli(
      ["calibrate", plan, "--har", har, ...base, "-o", plan],
    );
    assertEquals(code, 1);
    assertStringIncludes(stderr, "The plan was not written");
    assertStringIncludes(stdout, "no response");
    assertStringIncludes(stderr, "next: check that http://127.0.0.1:1 is the right address");
    assertStringIncludes(stdout, "not proven against http://127.0.0.1:1: 0 of 7 calls");
    assertEquals(await Deno.readTextFile(plan), before);
  });
});

Deno.test("calibrate does not send requests to another host without --yes", async () => {
  await withModel(async ({ plan, har }) => {
    const { code, stderr } = await runCli(
      ["calibrate", plan, "--har", har, "--base-url", "http://192.0.2.1", "-o", plan],
    );
    assertEquals(code, 2);
    assertStringIncludes(stderr, "nothing was sent: http://192.0.2.1 is not this machine");
  });
});

Deno.test("if calibrate is interrupted, it leaves an existing output file unchanged", async () => {
  await withModel(async ({ plan, har, origin }) => {
    const before = await Deno.readTextFile(plan);
    let press = () => {};
    const { code, stderr } = await runCli(
      ["calibrate", plan, "--har", har, "--base-url", origin, "-o", plan],
      {
        interrupts: (act) => (press = act, () => {}),
        onStderr: (text) => text.startsWith("pass 1") && press(),
      },
    );
    assertEquals(code, 130);
    assertStringIncludes(stderr, "Interrupted: the plan was not written.");
    assertEquals(await Deno.readTextFile(plan), before);
  });
});

for (const format of ["text", "json"] as const) {
  Deno.test(`the ${format} report shows that calibrate was interrupted`, async () => {
    await withModel(async ({ plan, har, origin }) => {
      let press = () => {};
      const { code, stdout } = await runCli(
        ["calibrate", plan, "--har", har, "--base-url", origin, "-o", plan, "--format", format],
        {
          interrupts: (act) => (press = act, () => {}),
          onStderr: (text) => text.startsWith("pass 1") && press(),
        },
      );
      assertEquals(code, 130);
      if (format === "json") {
        const { interrupted, proven } = JSON.parse(stdout);
        assertEquals([interrupted, proven], [true, false]);
      } else {
        assertMatch(
          stdout,
          /^interrupted on http:\S+: so far, \d+ of \d+ calls matched the recording for /m,
        );
        assertEquals(stdout.includes("proven"), false);
      }
    });
  });
}

Deno.test("calibrate hides secrets", async () => {
  await withModel(async ({ plan, har, origin }) => {
    const text = await Deno.readTextFile(plan);
    await Deno.writeTextFile(
      plan,
      text.replace("password: secret1", "password: ${secrets.password}") +
        "secrets:\n  password: {env: CALIBRATE_PASSWORD}\n",
    );
    const { code, stdout, stderr } = await runCli(
      ["calibrate", plan, "--har", har, "--base-url", origin, "--explain", "-o", plan],
      { env: { CALIBRATE_PASSWORD: "secret1" } },
    );
    assertEquals(code, 0, stdout);
    assertEquals((stdout + stderr).includes("secret1"), false);
    assert(!stdout.includes("Evidence\n\n"), "no heading without lines");
    assertEquals((await Deno.readTextFile(plan)).includes("secret1"), false);
  });
});

Deno.test("calibrate rejects a plan whose requests do not refer to recorded entries", async () => {
  await withModel(async ({ plan, har, origin }) => {
    const text = await Deno.readTextFile(plan);
    await Deno.writeTextFile(plan, text.replace(/ +tags:\n +recorded: .*\n/g, ""));
    const { code, stderr } = await runCli(
      ["calibrate", plan, "--har", har, "--base-url", origin, "-o", plan],
    );
    assertEquals(code, 1);
    assertStringIncludes(
      stderr,
      "no request in the plan refers to an entry in this recording",
    );
  });
});

/** An application that rejects every login. */
const LOCKED: CreateApp = (seed) => {
  const app = CSRF_SHOP.create(seed);
  return (request) =>
    request.form.has("password")
      ? { html: "<html><title>Log in</title><p>Invalid password</p></html>" }
      : app(request);
};

/** An application that rejects every new title as already taken. */
const REFUSING: CreateApp = (seed) => {
  const app = UNIQUE_TITLES.create(seed);
  return (request) =>
    request.method === "POST"
      ? { status: 422, json: { errors: { title: "has already been taken" } } }
      : app(request);
};

const HARD: readonly {
  readonly what: string;
  readonly live: CreateApp;
  readonly model: Model;
  readonly code: number;
  readonly table: readonly RegExp[];
}[] = [
  {
    what: "whose login fails",
    live: LOCKED,
    model: CSRF_SHOP,
    code: 1,
    table: [
      /^ +call 1 {2}GET \/login +as recorded$/m,
      /^ +call 2 {2}POST \/login +refused \(user 1, iteration 1\): .*the response says Invalid password$/m,
      /^ +call 3 {2}GET \/ +caused by call 2 /m,
      /^not proven against .*: 1 of 7 calls as recorded for 1 user in 1 iteration; 14\.3% of the responses of the last round matched$/m,
    ],
  },
  {
    what: "that limits the rate",
    live: rateLimited(CSRF_SHOP.create, "0"),
    model: CSRF_SHOP,
    code: 0,
    table: [
      /^ +call 4 {2}POST \/orders +repaired: \$\{csrf/m,
      /^proven against .*: 7 of 7 calls /m,
    ],
  },
  {
    what: "that always limits the rate",
    live: rateLimited(CSRF_SHOP.create, "0", true),
    model: CSRF_SHOP,
    code: 1,
    table: [
      /^ +call 1 {2}GET \/login +rate limit \(user 1, iteration 1\): add pacing of 1 iteration per /m,
      /^not proven against .*: 0 of 7 calls as recorded/m,
    ],
  },
  {
    what: "that needs unique text",
    live: UNIQUE_TITLES.create,
    model: UNIQUE_TITLES,
    code: 0,
    table: [
      /^ +call 1 {2}POST \/articles +repaired: \$\{unique\}$/m,
      /; the plan now sends How to replay \$\{unique\}$/m,
      /^proven against .*: 2 of 2 calls did their work for 2 users in 2 iterations$/m,
    ],
  },
  {
    what: "that refuses every text",
    live: REFUSING,
    model: UNIQUE_TITLES,
    code: 1,
    table: [
      /^ +call 1 {2}POST \/articles +refused \(user 1, iteration 1\): status 422 instead of 201/m,
      /^ +call 2 {2}GET \/articles\/.* +caused by call 1 /m,
    ],
  },
];

for (const { what, live, model, code, table } of HARD) {
  Deno.test(`calibrate prints the expected verdicts for an application ${what}`, async () => {
    let writes = 0;
    const counted: CreateApp = (seed) => {
      const app = live(seed);
      return (request) => {
        if (request.method !== "GET") writes++;
        return app(request);
      };
    };
    await withModel(
      async ({ plan, har, origin }) => {
        const before = await Deno.readTextFile(plan);
        const result = await runCli(
          ["calibrate", plan, "--har", har, "--base-url", origin, "--explain", "-o", plan],
        );
        assertEquals(result.code, code, result.stdout + result.stderr);
        for (const line of table) assertMatch(result.stdout, line);
        const limit = Number(/at most (\d+) writes/.exec(result.stderr)![1]);
        assert(writes <= limit, `${writes} writes, limit ${limit}`);
        assertStringIncludes(result.stdout, `${writes} write`);
        const after = await Deno.readTextFile(plan);
        assertEquals((await runCli(["validate", plan])).code, 0, after);
        if (result.stderr.includes("The plan was not written")) assertEquals(after, before);
      },
      counted,
      model,
    );
  });
}
