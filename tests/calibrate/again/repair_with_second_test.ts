import { createHash } from "node:crypto";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { calibrateModel, STARTS } from "../../support/calibrated.ts";
import { CSRF_SHOP, JSON_API, REDIRECT_CHAIN, UNIQUE_TITLES } from "../../support/model_apps.ts";
import { repairModel, type TwiceModel } from "../../support/recorded_twice.ts";

for (const [name, model] of Object.entries({ CSRF_SHOP, JSON_API, REDIRECT_CHAIN })) {
  for (const start of STARTS) {
    Deno.test(`repairWithSecond repairs the plan for ${name} completely (initial correlation: ${start})`, async () => {
      const { plan, report, isValid, diagnostics, text } = await repairModel(model, start);
      assert(isValid, JSON.stringify(diagnostics));
      assertEquals([report.paired, report.onlyFirst, report.onlySecond, report.otherResponses], [
        report.requests,
        [],
        [],
        [],
      ]);
      const { calibration, edits } = await calibrateModel(model, {
        start: "all",
        edit: () => plan,
      });
      if (!calibration.proven || edits > 0) console.log(text, calibration.extracted);
      assertEquals([calibration.proven, edits], [true, 0]);
    });
  }
}

/** Application that responds with the path and the length of the body that it receives. */
const ECHO: TwiceModel["create"] = () => ({ body, path }) => ({
  json: { path, length: body.length },
});

Deno.test("repairWithSecond gives equal client UUIDs the same name, and different ones different names", async () => {
  const { text, report } = await repairModel({
    create: ECHO,
    use(browser, n) {
      const [a, b] = ["a", "b"].map((digit) => `${digit}${n}0c6a52-9f0e-4c4e-8f5e-0a1b2c3d4e5f`);
      browser.send("POST", "/drafts", { json: { draftId: a, tabId: b } });
      browser.send("GET", `/drafts/${a}`);
    },
  });
  assertEquals(text.match(/\$\{uuid[^}]*\}/g), [
    "${uuid(draft_id)}",
    "${uuid(tab_id)}",
    "${uuid(draft_id)}",
  ]);
  assertEquals(report.unexplained, []);
});

Deno.test("repairWithSecond gives a client UUID a name that the plan does not use yet", async () => {
  const { text } = await repairModel({
    create: () => () => ({ status: 201, json: {} }),
    use(browser, n) {
      const [a, b] = ["a", "b"].map((digit) => `${digit}${n}0c6a52-9f0e-4c4e-8f5e-0a1b2c3d4e5f`);
      browser.send("POST", "/docs", { json: { docId: a } });
      browser.send("POST", "/cart", { json: { docId: b } });
    },
  });
  assertEquals(text.match(/\$\{[^}]*\}/g), ["${uuid(doc_id)}", "${uuid(doc_id_2)}"]);
});

Deno.test("repairWithSecond replaces recorded Unix milliseconds with the current time, except in ids", async () => {
  const { text, report } = await repairModel({
    create: ECHO,
    use(browser, n) {
      const start = Date.UTC(2026, 0, 2) + n * 7_654_321;
      browser.send("GET", `/poll?_=${start}`);
      browser.send("POST", "/events", { json: { at: start + 1, id: start + 2 } });
      browser.send("GET", `/events/${start + 2}`);
    },
  });
  assertStringIncludes(text, "/poll?_=${now()}");
  assertStringIncludes(text, "at: ${now()}");
  assertEquals(text.match(/\$\{now\(\)\}/g)?.length, 2);
  assertEquals(report.unexplained.map(({ field }) => field), ["id"]);
});

Deno.test("repairWithSecond replaces numbers in typed titles with unique text, and extracts slugs derived from them", async () => {
  const model: TwiceModel = {
    create: UNIQUE_TITLES.create,
    use(browser, n) {
      const stamp = 1_700_000 + n * 137;
      for (const word of ["Guide", "Guide to"]) {
        browser.send("POST", "/articles", { json: { title: `${word} ${stamp}`, body: "Text" } });
        browser.send("GET", `/articles/${word.toLowerCase().replace(" ", "-")}-${stamp}`);
      }
    },
  };
  const { text, report } = await repairModel(model);
  assertStringIncludes(text, "title: Guide ${unique}");
  assertStringIncludes(text, "title: Guide to ${unique}");
  assertEquals(report.extracted.map(({ source, consumers }) => [source, consumers]), [
    [0, [1]],
    [2, [3]],
  ]);
  assertEquals(text.includes("1700137"), false);
});

Deno.test("repairWithSecond does not merge strings that differ only in a number", async () => {
  const { text } = await repairModel({
    create: ECHO,
    use(browser, n) {
      for (const i of [1, 2]) browser.send("POST", "/users", { form: { login: `user${n}7${i}` } });
    },
  });
  assertEquals(text.match(/user\$.*/g), ["user${unique}", "user${unique}2"]);
});

Deno.test("repairWithSecond recognizes a PKCE pair by its hash", async () => {
  const { text } = await repairModel({
    create: (seed) => ({ method, query, form }) =>
      method === "GET"
        ? { status: 302, headers: { Location: `/callback?code=c0de${seed}x${seed}7k9` }, text: "" }
        : { json: { ok: form.get("code") !== null || query.size > 0 } },
    use(browser, n) {
      const verifier = `verifier-${n}-`.padEnd(50, `${n}ab`);
      const challenge = createHash("sha256").update(verifier).digest("base64url");
      const { location } = browser.send(
        "GET",
        `/authorize?proof=${challenge}&code_challenge_method=S256`,
      );
      const code = new URL(location, "http://x").searchParams.get("code")!;
      browser.send("POST", "/token", { form: { code, secret_text: verifier } });
    },
  });
  assertMatch(text, /proof=\$\{pkce_challenge\(\)\}/);
  assertStringIncludes(text, "secret_text: ${pkce_verifier()}");
});

Deno.test("repairWithSecond reports calls that only one recording contains, and repairs all others", async () => {
  const { report, isValid } = await repairModel({
    create: (seed) => ({ path }) =>
      path === "/session" ? { json: { token: `t0ken-${seed}-9f8e7d` } } : { json: { ok: true } },
    use(browser, n) {
      const { token } = JSON.parse(browser.send("POST", "/session", { json: {} }).body);
      if (n === 1) browser.send("GET", "/news");
      browser.send("GET", "/profile", { headers: { "X-Token": token } });
      if (n === 2) browser.send("GET", "/banner/17");
    },
  });
  assert(isValid);
  assertEquals(report.onlyFirst, [1]);
  assertEquals(report.onlySecond, ["GET /banner/#"]);
  assertEquals(report.extracted.map(({ source, consumers }) => [source, consumers]), [[0, [2]]]);
});

Deno.test("repairWithSecond lists variables whose values are the same in both recordings", async () => {
  const { report } = await repairModel({
    create: () => ({ path }) =>
      path === "/config" ? { json: { apiToken: "k3x9qq-7712-aa" } } : { json: { ok: true } },
    use(browser) {
      browser.send("GET", "/config");
      browser.send("GET", "/data", { headers: { "X-Token": "k3x9qq-7712-aa" } });
    },
  }, "all");
  assertEquals(report.constants.map(({ source }) => source), [0]);
});

Deno.test("repairWithSecond does not learn values from a response of a different kind", async () => {
  const { report, text } = await repairModel({
    create: (seed) => ({ path }) =>
      path !== "/session"
        ? { json: { ok: true } }
        : seed === 1
        ? { json: { token: "t0ken-1-9f8e7d" } }
        : { status: 503, json: { token: "t0ken-2-9f8e7d" } },
    use(browser, n) {
      browser.send("GET", "/session");
      browser.send("GET", "/profile", { headers: { "X-Token": `t0ken-${n}-9f8e7d` } });
    },
  });
  assertEquals(report.otherResponses.map(({ index }) => index), [0]);
  assertEquals(report.unexplained, [{ index: 1, field: "X-Token" }]);
  assertStringIncludes(text, "t0ken-1-9f8e7d");
});

Deno.test("repairWithSecond extracts a small number if a response and a later request of the second recording contain the same new number", async () => {
  const { report, text } = await repairModel({
    create: (seed) => ({ path }) =>
      path === "/edit" ? { json: { size: 7, latest: { n: 40 + seed } } } : { json: { ok: true } },
    use(browser, n) {
      browser.send("GET", "/edit");
      browser.send("POST", "/save", { form: { base: String(40 + n), size: "7" } });
    },
  });
  assertEquals(report.extracted.map(({ source, consumers }) => [source, consumers]), [[0, [1]]]);
  assertStringIncludes(text, 'size: "7"');
  assertEquals(report.unexplained, []);
});

Deno.test("repairWithSecond keeps a variable whose value the second recording does not contain", async () => {
  const { report, text } = await repairModel({
    create: (seed) => ({ path }) =>
      path === "/login"
        ? { cookies: [`csrf_P${seed}=k3x9qq${seed}7712aa`], json: { ok: true } }
        : { json: { ok: true } },
    use(browser, n) {
      browser.send("GET", "/login");
      browser.send("POST", "/save", { headers: { "X-CSRF-Token": `k3x9qq${n}7712aa` }, json: {} });
    },
  }, "all");
  assertEquals(report.notFound.map(({ source }) => source), [0]);
  assertEquals(text.includes("X-CSRF-Token: k3x9qq"), false);
});
