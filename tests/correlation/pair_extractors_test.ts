import { assertEquals } from "@std/assert";
import { alignResponses } from "../../src/correlation/align.ts";
import { KnownPairs } from "../../src/correlation/known_pairs.ts";
import { proposeForPair } from "../../src/correlation/propose.ts";
import { ResponseSnapshot } from "../../src/calibrate/recorded_side.ts";
import { firstWorking } from "../../src/correlation/try_extractor.ts";

function snapshot(mimeType: string, text: string, headers: [string, string][] = []) {
  return new ResponseSnapshot({
    status: 200,
    headers: headers.map(([name, value]) => ({ name, value })),
    mimeType,
    text,
  });
}

/**
 * Returns the extractor that `calibrate` chooses for a value that differs between the recorded and
 * the live response.
 */
function extractorFor(
  value: string,
  liveValue: string,
  create: (value: string, isLive: boolean) => ResponseSnapshot,
) {
  const [recorded, live] = [create(value, false), create(liveValue, true)];
  const pairs = alignResponses(recorded, live, new KnownPairs())
    .filter((pair) => pair.recorded === value && pair.live === liveValue);
  const proposed = pairs.flatMap((pair) => [...proposeForPair(pair)]);
  return firstWorking(proposed, [[recorded, value], [live, liveValue]])?.extractor;
}

const json = (value: unknown) => snapshot("application/json", JSON.stringify(value));
const html = (text: string) => snapshot("text/html", text);

Deno.test("a value of a JSON object is extracted by its path, without an index", () => {
  assertEquals(extractorFor("a1b2c3", "d4e5f6", (id) => json({ data: { "my id": id } })), {
    type: "jsonpath",
    expression: "$.data['my id']",
  });
});

Deno.test("a value in a list item is extracted with a filter on a member that identifies the item", () => {
  const create = (id: string, isLive: boolean) => {
    const item = { id, name: "it's mine" };
    const others = [{ id: "zz99zz", name: "left over" }, { id: "yy88yy", name: "other" }];
    return json({ items: isLive ? [...others, item] : [item, ...others.slice(1)] });
  };
  assertEquals(extractorFor("a1b2c3", "d4e5f6", create), {
    type: "jsonpath",
    expression: "$.items[?@.name=='it\\'s mine'].id",
  });
});

Deno.test("a value of a form field or meta tag is extracted by CSS", () => {
  const form = (token: string) =>
    html(`<form><input type="hidden" name="t" value="${token}"><input name="u" value="x"></form>`);
  assertEquals(extractorFor("a1b2c3d4", "e5f6a7b8", form), {
    type: "css",
    expression: 'input[name="t"]',
    attribute: "value",
  });
  const element = (token: string) => html(`<p>Id: <b id="order"> ${token} </b></p>`);
  assertEquals(extractorFor("a1b2c3d4", "e5f6a7b8", element), {
    type: "css",
    expression: 'b[id="order"]',
    transform: ["trim"],
  });
});

Deno.test("the default option of a select is extracted by CSS, even if another option has its value", () => {
  const options = (value: string, isLive: boolean) =>
    `<option value="5">Eve</option>`.repeat(isLive ? 2 : 0) +
    `<option value="${value}" selected="selected">Ada</option>`;
  const page = (value: string, isLive: boolean) =>
    html(
      `<select name="priority"><option value="1">a<option value="7">b</select>` +
        `<select name="_from">${options(value, isLive)}</select>`,
    );
  assertEquals(extractorFor("7", "9", page), {
    type: "css",
    expression: 'select[name="_from"] option[selected]',
    attribute: "value",
  });
});

Deno.test("a value in a script is extracted by a boundary extractor", () => {
  const page = (token: string) =>
    html(`<script>var a = 1, cfg = {"token":"${token}","b":2};</script>`);
  assertEquals(extractorFor("a1b2c3d4", "e5f6a7b8", page), {
    type: "boundary",
    left: 'token":"',
    right: '"',
  });
});

Deno.test("a value in a redirect URL is extracted by its query parameter or by the path segment before it", () => {
  const redirect = (code: string) =>
    snapshot("", "", [["Location", `/orders/${code}?a=1&code=${code}x`]]);
  assertEquals(extractorFor("a1b2c3d4", "e5f6a7b8", redirect), {
    type: "header",
    header: "location",
    expression: "\\/orders\\/([^/?#;]+)",
  });
  const callback = (code: string) => snapshot("", "", [["Location", `/cb?a=1&code=${code}&b=2`]]);
  assertEquals(extractorFor("a1b2c3d4", "e5f6a7b8", callback), {
    type: "header",
    header: "location",
    expression: "[?&#;]code=([^&#;]+)",
  });
});

Deno.test("a value with character references is decoded", () => {
  const page = (token: string) =>
    html(`<div data-state="${token.replaceAll("+", "&#x2B;")}" class="x"></div>`);
  const extractor = extractorFor("ab+cd12==", "ef+gh34==", page);
  assertEquals(extractor, { type: "css", expression: "div[data-state]", attribute: "data-state" });
});

Deno.test("no extractor is chosen if none returns both the recorded and the live value", () => {
  const create = (id: string, isLive: boolean) =>
    snapshot("text/plain", isLive ? `x ${id} y` : `completely different ${id} text`);
  assertEquals(extractorFor("a1b2c3d4", "e5f6a7b8", create), undefined);
});

Deno.test("a value in JSON after a prefix such as `for(;;);` is extracted by the text around it, because no JSONPath can find it", () => {
  const create = (key: string) =>
    snapshot("application/json", `for(;;);[{"Security-Key":"${key}","changes":[]}]`);
  assertEquals(extractorFor("49cd63a2-54fe", "7b1e90d4-11aa", create)?.type, "boundary");
});
