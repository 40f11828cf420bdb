import { assertEquals, assertStringIncludes } from "@std/assert";
import { calibrationText } from "../../src/cli/calibrate/calibration_text.ts";
import type { Calibration } from "../../src/calibrate/calibration.ts";
import { calibrateModel } from "../support/calibrated.ts";
import type { ModelRequest } from "../support/model_app.ts";
import type { Model } from "../support/model_apps.ts";

const textOf = (calibration: Calibration) => calibrationText(calibration, (text) => text, true);

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
    textOf(calibration),
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
  assertEquals(calibration.extracted, [], textOf(calibration));
  assertStringIncludes(
    calibration.calls[0].differences.join(),
    'member `arguments` is {"torrent-duplicate": …} instead of {"torrent-added": …}',
  );
});
