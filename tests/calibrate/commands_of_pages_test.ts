import { assert, assertEquals } from "@std/assert";
import { calibrateModel } from "../support/calibrated.ts";
import type { Model } from "../support/model_apps.ts";
import type { ModelResponse } from "../support/model_app.ts";

/** Command of a response: its name and its arguments. */
type Command = readonly [name: string, args: readonly unknown[]];

/**
 * A list of teas that all users share. The browser sends each event with status 200 in response,
 * and a list of commands that change the page. `add` returns the commands in response to a new tea.
 * `write` writes the response.
 */
function teaList(
  add: (name: string, teas: string[]) => readonly Command[],
  write: (commands: readonly Command[]) => ModelResponse = (commands) => ({
    json: { rs: commands, rid: 1 },
  }),
): Model {
  return {
    create: () => {
      const teas: string[] = [];
      return ({ method, form }) => {
        if (method !== "POST") return { html: "<html><title>Tea</title><p>Teas</p></html>" };
        return write(add(JSON.parse(form.get("data")!).value, teas));
      };
    },
    use(browser) {
      browser.send("GET", "/");
      const data = JSON.stringify({ value: "Sencha", start: 6 });
      browser.send("POST", "/events", { form: { name: "change", data } });
    },
  };
}

const ROW = (name: string): Command => ["append", ["list", { label: name }]];
const CLEAR: Command = ["set", ["field", { value: "" }]];

/** Adds a tea, unless its name exists or the list is full. */
function addNew(most = Infinity) {
  return (name: string, teas: string[]): readonly Command[] => {
    if (teas.includes(name) || teas.length >= most) {
      return [["set", ["field", { hint: "not added" }]]];
    }
    teas.push(name);
    return [ROW(name), CLEAR];
  };
}

/** Writes commands in a JavaScript literal that is not JSON. */
const asScript = (commands: readonly Command[]): ModelResponse => ({
  text: `{rs:${JSON.stringify(commands).replaceAll('"', "'").replaceAll("'list'", "{$u:'w1'}")}}`,
});

for (
  const [form, model] of [
    ["JSON", teaList(addNew())],
    ["a script", teaList(addNew(), asScript)],
  ] as const
) {
  Deno.test(`calibratePlan makes text unique if the server responds to a repeated write with other commands in ${form}`, async () => {
    const { calibration, text } = await calibrateModel(model);
    assertEquals(calibration.unique.map(({ template }) => template), ["Sencha${unique}"]);
    assert(text.includes('{\\"value\\":\\"Sencha${unique}\\",\\"start\\":6}'), text);
    assertEquals(calibration.proven, true);
  });
}

Deno.test("calibratePlan makes text unique if the server sends its last response again to a repeated request", async () => {
  const base = teaList(addNew());
  const model: Model = {
    create(seed) {
      const app = base.create(seed);
      const last = new Map<string, ModelResponse>();
      let sessions = 0;
      return (request) => {
        if (request.method === "GET") {
          return { ...app(request), cookies: [`session=s${sessions++}; Path=/`] };
        }
        const key = `${request.cookies.get("session")} ${request.headers.get("X-Sequence")}`;
        if (!last.has(key)) last.set(key, app(request));
        return last.get(key)!;
      };
    },
    use(browser) {
      browser.send("GET", "/");
      ["Sencha", "Assam"].forEach((value, i) => {
        const data = JSON.stringify({ value });
        const headers = { "X-Sequence": String(71 + i) };
        browser.send("POST", "/events", { headers, form: { name: "change", data } });
      });
    },
  };
  const { calibration, kinds } = await calibrateModel(model);
  assertEquals(calibration.unique.map(({ template }) => template).sort(), [
    "Assam${unique}",
    "Sencha${unique}",
  ]);
  assertEquals(kinds, ["as recorded", "repaired", "repaired"]);
  assertEquals(calibration.proven, true);
});

Deno.test("calibratePlan does not prove a plan if a later write gets other commands, also with unique text", async () => {
  const { calibration, kinds, text } = await calibrateModel(teaList(addNew(1)));
  assertEquals(calibration.proven, false);
  assertEquals(kinds, ["as recorded", "state"]);
  assertEquals(calibration.calls[1].differences, ["commands: only recorded: append"]);
  assertEquals(text.includes("unique"), false);
});

Deno.test("calibratePlan reports as unclear that a write always gets other commands", async () => {
  const { calibration, kinds } = await calibrateModel(teaList(addNew()), {
    live: teaList(addNew(0)).create,
  });
  assertEquals(calibration.proven, false);
  assertEquals(calibration.exceptState, false);
  assertEquals(kinds, ["as recorded", "unclear write"]);
});

Deno.test("calibratePlan detects new commands that report an error", async () => {
  const model = teaList((name, teas) => {
    teas.push(name);
    return teas.length < 2 ? [ROW(name)] : [...teas.map(ROW), ["showError", [{ text: "Full" }]]];
  });
  const { calibration } = await calibrateModel(model);
  assertEquals(calibration.proven, false);
  assertEquals(calibration.calls[1].differences, ["commands: only live: showError"]);
});

Deno.test("calibratePlan accepts more commands because of the rows of other users", async () => {
  const model = teaList((name, teas) => {
    teas.push(name);
    const pages: Command[] = teas.length > 1 ? [["page", [{ size: 1 }]]] : [];
    return [...teas.map(ROW), ...pages, CLEAR];
  });
  const { calibration, text } = await calibrateModel(model);
  assertEquals(calibration.proven, true);
  assertEquals(text.includes("unique"), false);
});

Deno.test("calibratePlan accepts a command that is missing only in some of the responses to the same write", async () => {
  let responses = 0;
  const model = teaList((name) => responses++ % 2 === 1 ? [CLEAR] : [ROW(name), CLEAR]);
  const { calibration, text } = await calibrateModel(model);
  assertEquals(calibration.proven, true);
  assertEquals(text.includes("unique"), false);
});

Deno.test("calibratePlan accepts that a poll gets the commands of another recorded poll", async () => {
  const model = (counts: readonly number[]): Model => ({
    create: () => {
      let polls = 0;
      return () => ({ json: { rs: counts[polls++] ? [ROW("Sencha"), CLEAR] : [] } });
    },
    use(browser) {
      for (let i = 0; i < 3; i++) browser.send("POST", "/events", { form: { name: "poll" } });
    },
  });
  const { calibration } = await calibrateModel(model([1, 0, 1]), { live: model([]).create });
  assertEquals(calibration.proven, true);
});

Deno.test("calibratePlan does not take the rows of a table for commands", async () => {
  const newest = { create: 1 };
  const model = teaList((name) => {
    newest.create++;
    return [[name, ["green"]], [`tea${"abcdefgh"[newest.create % 8]}`, ["black"]]];
  }, (rows) => ({ json: { rows: rows.map(([name, [kind]]) => [name, kind]) } }));
  const { calibration } = await calibrateModel(model);
  assertEquals(calibration.proven, true);
});
