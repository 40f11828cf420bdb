import { assert, assertEquals, assertNotMatch, assertStringIncludes } from "@std/assert";
import { ResponseSnapshot } from "../../src/comparison/response_snapshot.ts";
import { calibrationText } from "../../src/cli/calibrate/calibration_text.ts";
import { pairRows } from "../../src/comparison/align_rows.ts";
import { listRequests } from "../../src/plan/kinds/list_requests.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { verifyPlan } from "../../src/verify/verify_plan.ts";
import { calibrateModel, explainedTextOf, STARTS, textOf } from "../support/calibrated.ts";
import { teaApi, teaList, type TeaLog } from "../support/list_apps.ts";
import { type CreateApp, ModelBrowser, type ModelRequest, Values } from "../support/model_app.ts";
import type { Model } from "../support/model_apps.ts";

const TENANT = "7f3c9a1be2d05846";

/** A page with a token, and with an application id that is the same on every server. */
const TENANTS: Model = {
  create(seed) {
    const values = new Values(seed);
    const tokens = new Set<string>();
    return ({ method, path, headers }) => {
      if (method === "GET") {
        const token = values.hex(20);
        tokens.add(token);
        return { json: { feed: TENANT, token } };
      }
      const isRight = path === `/feeds/${TENANT}/notes` && tokens.has(headers.get("x-token") ?? "");
      return isRight ? { status: 201, json: { ok: true } } : { status: 403, json: { error: "no" } };
    };
  },
  use(browser) {
    const { feed, token } = JSON.parse(browser.send("GET", "/start").body);
    browser.send("POST", `/feeds/${feed}/notes`, {
      json: { text: "x" },
      headers: { "X-Token": token },
    });
  },
};

async function recordTenants() {
  const browser = new ModelBrowser(TENANTS.create(1));
  TENANTS.use(browser);
  return await browser.recording();
}

const OPTIONS = {
  users: 2,
  iterations: 2,
  readFile: () => new Uint8Array(),
  readEnv: () => undefined,
};

Deno.test("verifyPlan accepts recorded values that calibratePlan found to be constant", async () => {
  const { calibration, plan, isValid } = await calibrateModel(TENANTS);
  assert(isValid);
  assertEquals(calibration.proven, true);
  assertEquals(plan.calibration, { constants: [TENANT] });
  const recording = await recordTenants();
  const { verdict, unproven } = await verifyPlan(plan, recording, OPTIONS);
  const reported = unproven.map(({ value, reason }) => [value, reason]);
  assertEquals([verdict, reported.filter(([value]) => value === TENANT)], ["consistent", []]);
  const { calibration: _, ...without } = plan;
  const other = await verifyPlan(without, recording, OPTIONS);
  const open = other.unproven.map(({ value }) => value);
  assertEquals([other.verdict, open.includes(TENANT)], ["unproven", true]);
});

Deno.test("calibratePlan does not list constants if the plan is not proven", async () => {
  const down = TENANTS.create(2);
  const { calibration, plan } = await calibrateModel(TENANTS, {
    live: () => (request) => request.method === "GET" ? down(request) : { status: 500 },
  });
  assertEquals([calibration.proven, plan.calibration], [false, undefined]);
});

Deno.test("calibratePlan does not list a value as a constant if it changed in a live response", async () => {
  const { plan } = await calibrateModel(TENANTS, { start: "bare" });
  assertEquals(plan.calibration, { constants: [TENANT] });
});

/** The page names the features of a product. Its script sends one of them as a member's name. */
const FEATURES: Model = {
  create: () => ({ method, body }) =>
    method === "GET"
      ? { json: { features: [{ id: "device" }] } }
      : body === '{"device.enabled":"yes"}'
      ? { status: 201, json: { ok: true } }
      : { status: 400, json: { error: "unknown feature" } },
  use(browser) {
    browser.send("GET", "/features");
    browser.send("POST", "/clients", { json: { "device.enabled": "yes" } });
  },
};

/** Makes a plan that extracts `feature`, and sends `${feature}.enabled` as a member's name. */
function withFeature(plan: Plan): Plan {
  const [read, write, ...rest] = plan.scenarios.recorded.flow;
  const extract = [{
    type: "jsonpath",
    name: "feature",
    expression: "$.features[0].id",
  }] as const;
  const body = { json: { "${feature}.enabled": "yes" } };
  const flow = [
    { request: { ...read.request!, extract: [...extract] } },
    { request: { ...write.request!, body } },
    ...rest,
  ];
  return { ...plan, scenarios: { recorded: { ...plan.scenarios.recorded, flow } } };
}

Deno.test("calibratePlan writes a constant into the name of a JSON member", async () => {
  const { calibration, diagnostics, text } = await calibrateModel(FEATURES, { edit: withFeature });
  assertEquals([calibration.proven, diagnostics], [true, []]);
  assertEquals([text.includes("device.enabled"), text.includes("feature}")], [true, false]);
});

Deno.test("calibratePlan keeps the variable of a constant that a `set` step also uses", async () => {
  const { calibration, diagnostics, text } = await calibrateModel(FEATURES, {
    edit(plan) {
      const { recorded } = withFeature(plan).scenarios;
      const flow = [...recorded.flow, { set: { last: "${feature}" } }];
      return { ...plan, scenarios: { recorded: { ...recorded, flow } } };
    },
  });
  assertEquals([calibration.proven, diagnostics], [true, []]);
  assertStringIncludes(text, "${feature}.enabled");
});

Deno.test("calibratePlan keeps the variable of a constant that an expression computes with", async () => {
  const { calibration, diagnostics, text } = await calibrateModel(FEATURES, {
    edit(plan) {
      const { recorded } = withFeature(plan).scenarios;
      const flow = JSON.parse(
        JSON.stringify(recorded.flow).replace("{feature}", "{lower(feature)}"),
      );
      return { ...plan, scenarios: { recorded: { ...recorded, flow } } };
    },
  });
  assertEquals([calibration.proven, diagnostics], [true, []]);
  assertStringIncludes(text, "${lower(feature)}.enabled");
});

Deno.test("calibratePlan keeps a variable that was equal in all rounds, if another one with its recorded value changed", async () => {
  const files: Model = {
    create() {
      let last = 900;
      return ({ method, path }) => {
        if (method === "GET") return { json: { files: [{ name: "spoon.txt", id: 901 }] } };
        if (path === "/files") return { json: { file_id: ++last } };
        return { json: { ok: true } };
      };
    },
    use(browser) {
      browser.send("POST", "/files", { form: { name: "spoon.txt" } });
      browser.send("GET", "/files");
      browser.send("POST", "/edit", { form: { post_id: "901", title: "Spoon" } });
    },
  };
  const { text, calibration } = await calibrateModel(files, {
    edit: (plan) => {
      const [upload, list, edit] = [...listRequests(plan.scenarios.recorded.flow)];
      upload.extract = [{ type: "jsonpath", name: "file_id", expression: "$.file_id" }];
      list.extract = [{ type: "jsonpath", name: "row_id", expression: "$.files[0].id" }];
      edit.body = { form: { post_id: "${row_id}", title: "Spoon" } };
      return plan;
    },
  });
  assertEquals(text.includes("post_id: ${row_id}"), true);
  assertEquals(calibration.constants, []);
});

/**
 * Remote procedure calls to add an item, list all items and start one. The server responds to a
 * repeated add with `torrent-duplicate` instead of `torrent-added`. `before` and `next` map the
 * application's seed to the number of items that exist at the start, and to the id of the first new
 * item. The server accepts only links that match `links`.
 */
function items(
  before: (seed: number) => number,
  next: (seed: number) => number,
  links = /^magnet:/,
): Model {
  return {
    create(seed) {
      let id = next(seed);
      const list = Array.from({ length: before(seed) }, (_, i) => ({ id: 900 + i, link: `x${i}` }));
      return ({ body }: ModelRequest) => {
        const { method, arguments: sent } = JSON.parse(body);
        const result = "success";
        if (method === "torrent-add" && !links.test(sent.link)) {
          return { json: { result: "invalid" } };
        }
        if (method === "torrent-add") {
          const known = list.find(({ link }) => link === sent.link);
          if (known) return { json: { arguments: { "torrent-duplicate": known }, result } };
          const item = { id: id++, link: sent.link };
          list.unshift(item);
          return { json: { arguments: { "torrent-added": item }, result } };
        }
        if (method === "torrent-get") {
          return { json: { arguments: { torrents: list.map(({ id }) => ({ id })) }, result } };
        }
        if (method !== "torrent-start") return { json: { result: "unknown method" } };
        const isKnown = list.some(({ id }) => id === sent.ids[0]);
        return isKnown ? { json: { result } } : { json: { result: "not found" } };
      };
    },
    use(browser) {
      const call = (method: string, args: unknown) =>
        JSON.parse(browser.send("POST", "/rpc", { json: { method, arguments: args } }).body);
      const { id } = call("torrent-add", { link: "magnet:cups" }).arguments["torrent-added"];
      call("torrent-get", {});
      call("torrent-start", { ids: [id] });
    },
  };
}

const ONLY = /^magnet:(?:cups|pots)$/;

Deno.test("calibratePlan extracts an id from the response that created the row, not from a list", async () => {
  const { calibration } = await calibrateModel(items(() => 2, (seed) => 10 * seed));
  assertEquals(
    calibration.extracted.map(({ source, extractor }) => [
      source,
      "expression" in extractor && extractor.expression,
    ]),
    [[0, "$.arguments['torrent-added'].id"]],
    explainedTextOf(calibration),
  );
});

Deno.test("calibratePlan does not extract an id from a list if the live server refused the write that created the item", async () => {
  const { calibration } = await calibrateModel(items((seed) => seed, () => 3, ONLY), {
    live: (seed) => {
      const app = items(() => 0, () => 7, ONLY).create(seed);
      const add = { method: "torrent-add", arguments: { link: "magnet:cups" } };
      const request = { method: "POST", path: "/rpc", body: JSON.stringify(add), headers: {} };
      app({ ...request, body: request.body.replace("cups", "pots") } as never);
      app(request as never);
      return app;
    },
  });
  assertEquals(calibration.proven, false);
  assertEquals(calibration.extracted, [], explainedTextOf(calibration));
  assertStringIncludes(
    calibration.calls[0].differences.join(),
    'member `arguments` is {"torrent-duplicate": …} instead of {"torrent-added": …}',
  );
});

/**
 * A webmail in which each login is a different user. User `n` (from 1) of the application with seed
 * `s` has the identity `10 * s + n`.
 */
const webmail = (chosen: (own: number) => number): Model => ({
  create(seed) {
    let users = 0;
    return ({ path, cookies, form }) => {
      if (path === "/enter") {
        return { status: 303, headers: { Location: "/" }, cookies: [`own=${10 * seed + ++users}`] };
      }
      const own = Number(cookies.get("own"));
      if (path === "/compose") {
        return {
          html: `<html><body><form><select name="rows"><option>12</option><option>${own}</option>` +
            `</select><select name="_from"><option value="${own}">Ada &lt;ada@x.example&gt;` +
            `</option><option value="3">Team</option></select></form></body></html>`,
        };
      }
      return [own, 3].includes(Number(form.get("_from")))
        ? { json: { sent: true, error: "" } }
        : { json: { sent: false, error: "not your identity" } };
    };
  },
  use(browser) {
    browser.send("POST", "/enter", { form: { user: "ada", pw: "wJ8!x" } });
    browser.send("GET", "/compose");
    browser.send("POST", "/send", { form: { _from: String(chosen(11)), rows: "12" } });
  },
});

for (const start of ["bare", "all"] as const) {
  Deno.test(`calibratePlan extracts the default option of a select if it differs (plan with ${start} extractors)`, async () => {
    const { calibration, plan } = await calibrateModel(webmail((own) => own), { start });
    const text = calibrationText(calibration, (text) => text, true);
    assertEquals(calibration.proven, true, text);
    const extracted = JSON.stringify(plan.scenarios).match(/select\[name=[^,]*/g);
    assertEquals(extracted?.length, 1, text);
  });
}

Deno.test("calibratePlan keeps an option that the user chose instead of the default one", async () => {
  const { calibration, plan } = await calibrateModel(webmail(() => 3));
  const text = calibrationText(calibration, (text) => text, true);
  assertEquals([calibration.proven, calibration.extracted.length], [true, 0], text);
  assertEquals(JSON.stringify(plan.scenarios).includes('"_from":"3"'), true);
});

/** An address book in which `user1` and all other users have one address each. */
const addresses = (status: number): Model => ({
  create() {
    return ({ path, cookies, form }) => {
      if (path === "/enter") {
        const own = form.get("user") === "user1" ? "ada.7" : "bob.9";
        return { status: 303, headers: { Location: "/" }, cookies: [`own=${own}`] };
      }
      const own = cookies.get("own")!;
      if (path === "/book") return { html: `<html><p class="${own}">Address</p></html>` };
      return form.get("address") === own ? { json: { saved: 1 } } : { status, text: "" };
    };
  },
  use(browser) {
    browser.send("POST", "/enter", { form: { user: "user1", pw: "wJ8!x" } });
    browser.send("GET", "/book");
    browser.send("POST", "/save", { form: { address: "ada.7", kind: "home" } });
  },
});

/** Serves a different page to the second user, from which no extractor of the plan finds the id. */
const unaligned = (model: Model): CreateApp => (seed) => {
  const app = model.create(seed);
  return (request) => {
    const response = app(request);
    return response.html?.includes("bob.9")
      ? { html: "<html><p>Other</p><i>bob.9</i><b>or</b></html>" }
      : response;
  };
};

for (const status of [422, 403]) {
  Deno.test(`calibratePlan reports a value of the first user if a write fails with ${status} only for the second user`, async () => {
    const model = addresses(status);
    const { calibration } = await calibrateModel(model, {
      live: unaligned(model),
      edit: (plan) => JSON.parse(JSON.stringify(plan).replaceAll("user1", "user${vu}")),
    });
    const text = textOf(calibration);
    assertEquals(calibration.calls[2].kind, "user", text);
    assertEquals(calibration.calls[2].foreign, [{ name: "address", value: "ada.7" }]);
    assertEquals([calibration.proven, calibration.exceptState], [false, false]);
    assertStringIncludes(text, "as recorded only for other users (user 2, iteration 1): status");
    assertStringIncludes(
      text,
      'the plan sends "ada.7" (address), which recorded responses contain, but no earlier response to user 2',
    );
    assertStringIncludes(text, "user 2; it probably sends a value of another user)");
    assertNotMatch(text, /--allow-state|not offered again/);
  });
}

Deno.test("calibratePlan does not name literals that the server sent to both users", async () => {
  const model = addresses(422);
  const live: CreateApp = (seed) => {
    const app = model.create(seed);
    return (request) => {
      const response = app(request);
      return response.html === undefined
        ? response
        : { html: `<html><p class="ada.7">Address</p></html>` };
    };
  };
  const { calibration } = await calibrateModel(model, {
    live,
    edit: (plan) => JSON.parse(JSON.stringify(plan).replaceAll("user1", "user${vu}")),
  });
  const text = textOf(calibration);
  assertEquals([calibration.calls[2].kind, calibration.calls[2].foreign], ["user", undefined]);
  assertStringIncludes(text, "user 2; check whether it sends a value of another user)");
});

Deno.test("calibratePlan still reports a changed state if the first user's second write fails too", async () => {
  const model: Model = {
    create(seed) {
      let saved = 0;
      return ({ path }) => {
        if (path === "/book") return { html: "<html><p>Address</p></html>" };
        return seed > 1 && ++saved > 2 ? { status: 422, text: "" } : { json: { saved: 1 } };
      };
    },
    use(browser) {
      browser.send("GET", "/book");
      browser.send("POST", "/save", { form: { address: "7" } });
    },
  };
  const { calibration } = await calibrateModel(model);
  assertEquals(calibration.calls[1].kind, "state", textOf(calibration));
});

for (const [name, create] of Object.entries({ teaList, teaApi })) {
  for (const start of STARTS) {
    Deno.test(`a plan from calibratePlan changes only the user's own rows of a shared list (${name}, ${start})`, async () => {
      const logs: TeaLog[] = [];
      const { calibration, text } = await calibrateModel(create((log) => logs.push(log)), {
        start,
      });
      assertEquals(calibration.proven, true, calibrationText(calibration, (text) => text, true));
      // The first log is that of the recorded application.
      const { teas, renamed, deleted } = logs[1];
      const [last] = calibration.rounds.slice(-1);
      const proven = last.users * last.iterations;
      const inProof = (all: TeaLog["teas"]) => all.slice(-proven);
      assert(inProof(renamed).every(({ added }) => added.startsWith("Assam")), text);
      assert(inProof(deleted).every(({ added }) => added.startsWith("Earl Grey")), text);
      assertEquals(new Set(inProof(renamed)).size, proven, text);
      const fresh = new Set(teas.slice(-2 * proven));
      assert([...inProof(renamed), ...inProof(deleted)].every((tea) => fresh.has(tea)), text);
      if (name === "teaList") {
        const kinds = new Set(teas.slice(-2 * proven).map(({ kind }) => kind));
        assertEquals(kinds.size, proven, text);
      }
    });
  }
}

Deno.test("pairRows takes linear time for hostile attributes and links", () => {
  const hostile = [
    "1".repeat(200_000) + " ",
    `/a/${"1".repeat(200_000)}é`,
    ' id="1'.repeat(50_000),
  ];
  for (const text of hostile) {
    const body = `<table><tr id="${text}"><td>Assam</td></tr></table>`;
    const page = new ResponseSnapshot({
      status: 200,
      mimeType: "text/html",
      headers: [],
      text: body,
    });
    assertEquals(pairRows(page, page, "Assam", "Assam", () => true), []);
  }
});
