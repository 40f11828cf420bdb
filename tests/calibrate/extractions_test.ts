import { assertEquals } from "@std/assert";
import { calibrateModel } from "../support/calibrated.ts";
import type { Model } from "../support/model_apps.ts";

/**
 * Creates an application whose pages link to notes with a tag. The tag is `tea` in the recorded
 * application, and `help` in the live one. The user adds a note with `form`, and then searches for
 * the tag.
 */
const notes = (form: Record<string, string>): Model => ({
  create(seed) {
    const first = seed === 1 ? "tea" : "help";
    return ({ method, path, query }) => {
      if (method === "POST") return { status: 302, headers: { Location: "/" } };
      const title = path === "/search" ? `Notes: ${query.get("tag")}` : "Notes";
      return {
        html: `<html><head><title>${title}</title></head><a href="/feed?tag=${first}">a</a></html>`,
      };
    };
  },
  use(browser) {
    browser.send("POST", "/notes", { form });
    browser.send("GET", "/");
    browser.send("GET", "/search?tag=tea");
  },
});

for (const labels of ["tea", "green tea", "<b kind='tea'/>", '[{"kind": "tea"}]']) {
  Deno.test(`calibratePlan keeps a word that the user typed into an earlier field: ${labels}`, async () => {
    const { calibration, text } = await calibrateModel(notes({ labels }));
    assertEquals([calibration.proven, calibration.extracted], [true, []], text);
  });
}
