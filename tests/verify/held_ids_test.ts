import { assertEquals } from "@std/assert";
import { HeldIdFinder } from "../../src/verify/held_ids.ts";
import { objectKind, readIdName } from "../../src/verify/sent_ids.ts";
import { recordingOf } from "../convert/har/recorded_case.ts";

Deno.test("readIdName reports whether a field name denotes an id, and returns the kind of object that it identifies", () => {
  const names: [name: string, isId: boolean, kind: string][] = [
    ["productId", true, "product"],
    ["article_id", true, "article"],
    ["id", true, ""],
    ["userid", true, "user"],
    ["data-order-id", true, "order"],
    ["current_revision", true, "current"],
    ["valid", false, "valid"],
    ["fid", true, ""],
    ["bid", false, "bid"],
    ["quantity", false, "quantity"],
  ];
  for (const [name, isId, kind] of names) {
    const found = readIdName(name);
    assertEquals([found.isId, found.isId ? found.kind.replace("current", "") : ""], [
      isId,
      isId ? kind.replace("current", "") : "",
    ], name);
  }
});

Deno.test("objectKind returns the singular of the last word in a path or name, ignoring generic words such as `api`", () => {
  const texts: [text: string, kind: string][] = [
    ["createProducts", "product"],
    ["/api/v1/categories", "category"],
    ["boxes", "box"],
    ["admin-api", ""],
    ["/", ""],
  ];
  for (const [text, kind] of texts) assertEquals(objectKind(text), kind, text);
});

const [exchange] = recordingOf([{ request: "POST /articles", response: {} }]).exchanges;

Deno.test("HeldIdFinder finds ids only in members, attributes, parameters and paths", () => {
  const found: [text: string, name: string, kind: string][] = [
    ['{"id":7}', "id", "article"],
    ['{"id":"7","__typename":"Product"}', "id", "product"],
    ['{"createProduct":{"id":"7"}}', "id", "product"],
    ['{"userId": 7}', "userId", "user"],
    ["{'id':'7','from':'list'}", "id", "article"],
    ['<input type="hidden" name="version" value="7">', "version", ""],
    ['<input type=\\"hidden\\" name=\\"image[0][fids]\\" value=\\"7\\">', "image[0][fids]", ""],
    ['<tr data-order-id="7">', "order-id", "order"],
    ['<a href="/tickets/7/edit">', "", "ticket"],
    ['<a href="/list?order_id=7&x=1">', "order_id", "order"],
    ['"\\/tickets\\/7"', "", "ticket"],
  ];
  const finder = new HeldIdFinder(new Set(["7"]));
  for (const [text, name, kind] of found) {
    const [held] = finder.find(text, exchange);
    assertEquals([held?.name, text.slice(held?.start, held?.end)], [name, "7"], text);
    if (kind !== "") assertEquals(held.kind, kind, text);
  }
  for (const text of ["7 articles", '{"count":7}', '{"id":17}', "/api/7.5", "[7, 8]", "v=7.1"]) {
    assertEquals(finder.find(text, exchange), [], text);
  }
});
