import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { calibrationText } from "../../src/cli/calibrate/calibration_text.ts";
import type { Step } from "../../src/plan/kinds/steps.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { calibrateModel, type ModelOptions } from "../support/calibrated.ts";
import type { FakeSocket } from "../support/fake_socket.ts";
import { type CreateApp, type ModelBrowser, Values } from "../support/model_app.ts";

/** An application that issues a token for its WebSocket. `tokens` receives each token. */
function chat(tokens: Set<string> = new Set()): CreateApp {
  return (seed) => {
    const values = new Values(seed);
    return ({ path }) => {
      if (path !== "/token") return { json: { rooms: ["tea"] } };
      const token = values.hex(16);
      tokens.add(token);
      return { json: { token } };
    };
  };
}

const MODEL = {
  create: chat(),
  use(browser: ModelBrowser) {
    browser.send("GET", "/token");
    browser.send("GET", "/rooms");
  },
};

/**
 * Calibrates a plan whose two requests are followed by a WebSocket. `stepsFor` returns the steps of
 * the WebSocket, which send the recorded token.
 */
async function calibrated(
  stepsFor: (token: string) => Step[],
  { url = "/live", ...options }: ModelOptions & { readonly url?: string } = {},
) {
  const tokens = new Set<string>();
  const received: unknown[] = [];
  const recorded = new Values(1).hex(16);
  const socket = () => ({
    onMessage(message: unknown, server: FakeSocket) {
      received.push(message);
      const isKnown = [...tokens].some((token) => String(message).includes(token));
      server.reply(isKnown ? "welcome" : "go away");
    },
  });
  const edit = (plan: Plan): Plan => {
    const { flow } = plan.scenarios.recorded;
    flow.push({ websocket: { url: `ws://target.example:9090${url}`, steps: stepsFor(recorded) } });
    return plan;
  };
  const found = await calibrateModel(MODEL, { live: chat(tokens), socket, edit, ...options });
  const { websocket } = found.plan.scenarios.recorded.flow.at(-1)!;
  return { ...found, received, recorded, tokens, websocket: websocket! };
}

const WELCOME: Step = {
  expect: { condition: { type: "body_contains", value: "welcome" }, timeout: "1ms" },
};

for (
  const [name, send, repaired] of [
    ["text", (token: string) => `hello ${token}`, "hello ${token}"],
    [
      "JSON",
      (token: string) => ({ json: { type: "hello", token } }),
      { json: { type: "hello", token: "${token}" } },
    ],
    [
      "text in a map",
      (token: string) => ({ text: `{"token":"${token}"}` }),
      { text: '{"token":"${token}"}' },
    ],
  ] as const
) {
  Deno.test(`calibratePlan repairs a stale value in a sent message (${name})`, async () => {
    const found = await calibrated((token) => [{ send: send(token) } as Step, WELCOME]);
    const { calibration, websocket, isValid, edits } = found;
    assert(calibration.proven, JSON.stringify(calibration));
    assert(isValid);
    assertEquals(websocket.steps[0].send, repaired);
    assertEquals(edits, 2);
    const [{ variable, consumers, messages }] = calibration.extracted;
    assertEquals([variable, consumers, messages], ["token", [], 1]);
    assertStringIncludes(
      calibrationText(calibration, (text) => text, true),
      "1 WebSocket message",
    );
  });
}

Deno.test("calibratePlan repairs a stale value in the URL of a WebSocket", async () => {
  const url = `/live?token=${new Values(1).hex(16)}`;
  const { calibration, websocket } = await calibrated(() => [{ wait: 0 }], { url });
  assertEquals(calibration.extracted.map(({ variable }) => variable), ["token"]);
  assertStringIncludes(websocket.url, "/live?token=${token}");
});

Deno.test("calibratePlan keeps messages whose values the server does not change", async () => {
  const { calibration, websocket, edits } = await calibrated(() => [{ send: "hello tea" }]);
  assertEquals([calibration.extracted, edits], [[], 0]);
  assertEquals(websocket.steps[0].send, "hello tea");
});

Deno.test("calibratePlan does not extract a value from a response that arrives after the message that sends the value", async () => {
  const { calibration } = await calibrated((token) => [{ send: token }], {
    edit(plan) {
      const token = new Values(1).hex(16);
      const steps: Step[] = [{ send: token }];
      plan.scenarios.recorded.flow.unshift({
        websocket: { url: "ws://target.example:9090/live", steps },
      });
      plan.scenarios.recorded.flow.push({
        websocket: { url: "ws://target.example:9090/live", steps: [{ send: token }] },
      });
      return plan;
    },
  });
  assertEquals(calibration.extracted, []);
});

Deno.test("calibratePlan gives an extracted value a variable name that no other step uses", async () => {
  const extract = [{ type: "regex", name: "token_2", expression: "(w.*)" }] as const;
  const { calibration, websocket } = await calibrated((token) => [
    { send: token },
    { expect: { extract: [...extract], timeout: "1ms" } },
    { send: "${token_2} ${token_3} ${token}" },
  ], {
    edit(plan) {
      plan.variables = { token: "kept" };
      const [first, ...rest] = plan.scenarios.recorded.flow;
      plan.scenarios.recorded.flow = [first, { set: { token_3: "tea" } }, ...rest];
      const steps: Step[] = [
        { send: new Values(1).hex(16) },
        { expect: { extract: [...extract], timeout: "1ms" } },
      ];
      plan.scenarios.recorded.flow.push({
        websocket: { url: "ws://target.example:9090/live", steps },
      });
      return plan;
    },
  });
  assertEquals(calibration.extracted.map(({ variable }) => variable), ["token_4"]);
  assertEquals(websocket.steps[0].send, "${token_4}");
});

/**
 * Creates a shared list to which each user adds a tea. The newest tea comes last, or first if
 * `newestFirst` is true. `added` maps the ids of the teas to their names.
 */
function teas(newestFirst: boolean, added = new Map<string, string>()): CreateApp {
  return (seed) => {
    const values = new Values(seed);
    const rows: string[] = [];
    const add = (name: string) => {
      const id = values.hex(12);
      added.set(id, name);
      rows[newestFirst ? "unshift" : "push"](`<tr id="${id}"><td>${name}</td></tr>`);
    };
    add("Sencha");
    return ({ method, form }) => {
      if (method !== "POST") return { html: `<title>Teas</title><table>${rows.join("")}</table>` };
      add(form?.get("name") ?? "");
      return { status: 302, headers: { Location: "/teas" } };
    };
  };
}

Deno.test("calibratePlan sends a message with the id of the user's own row, not of the row at the recorded position", async () => {
  const ids = new Map<string, string>();
  teas(false, ids)(1)({ method: "POST", form: new URLSearchParams({ name: "Assam" }) } as never);
  const recorded = [...ids.keys()].at(-1)!;
  const added = new Map<string, string>();
  const deleted: string[] = [];
  const { calibration, plan } = await calibrateModel({
    create: teas(false),
    use(browser) {
      browser.send("POST", "/teas", { form: { name: "Assam" } });
      browser.send("GET", "/teas");
    },
  }, {
    live: teas(true, added),
    socket: () => ({
      onMessage(message, server) {
        deleted.push(String(message).slice("delete ".length));
        server.reply("welcome");
      },
    }),
    edit(plan) {
      const steps: Step[] = [{ send: `delete ${recorded}` }, WELCOME];
      plan.scenarios.recorded.flow.push({
        websocket: { url: "ws://target.example:9090/live", steps },
      });
      return plan;
    },
  });
  const [{ users, iterations }] = calibration.rounds.slice(-1);
  assertEquals(calibration.proven, true, JSON.stringify(calibration));
  const names = deleted.slice(-users * iterations).map((id) => added.get(id) ?? id);
  assert(names.every((name) => name.startsWith("Assam")), names.join());
  assertEquals(new Set(names).size, users * iterations, JSON.stringify(plan.scenarios));
});
