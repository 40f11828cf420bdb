import { assertEquals } from "@std/assert";
import { calibrateModel } from "../../support/calibrated.ts";
import type { Model } from "../../support/model_apps.ts";

/**
 * A document store. PUT creates a document and responds with 201, or with the status `overwritten`
 * if the document already exists.
 */
function documents(overwritten: number): Model {
  return {
    create: () => {
      const stored = new Set<string>();
      return ({ method, path }) => {
        if (method !== "PUT") return { status: stored.has(path) ? 200 : 404, json: { ok: true } };
        const status = stored.has(path) ? overwritten : 201;
        stored.add(path);
        return status === 204 ? { status, text: "" } : { status, json: { ok: true } };
      };
    },
    use(browser) {
      browser.send("PUT", "/files/notes.txt", { json: { text: "Tea at five" } });
      browser.send("GET", "/files/notes.txt");
    },
  };
}

for (const status of [200, 204, 412]) {
  Deno.test(`calibratePlan makes the URL that a request creates unique if the next response has status ${status}`, async () => {
    const { calibration, text } = await calibrateModel(documents(status));
    assertEquals(calibration.unique.map(({ template }) => template), ["notes${unique}.txt"]);
    assertEquals(text.match(/\/files\/notes\$\{unique\}\.txt/g)?.length, 2);
    assertEquals(calibration.proven, true);
  });
}

Deno.test("calibratePlan keeps the URL if the server always responds with status 201", async () => {
  const { calibration, text } = await calibrateModel(documents(201));
  assertEquals(text.includes("unique"), false);
  assertEquals(calibration.proven, true);
});
