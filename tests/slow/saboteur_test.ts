import { assertEquals } from "@std/assert";
import { readHar } from "../../src/traffic/har/read_har.ts";
import { judgeBystanders, judgeSabotages } from "../../scripts/saboteur/judge_sabotages.ts";

const RECORDINGS = [
  "testdata/har/demo_shop_forms.har",
  "testdata/har/labelled/presigned_upload.har",
  "testdata/har/labelled/html_forms.har",
];

Deno.test("verify and calibrate do not promise that a broken plan works", async () => {
  const wrong: string[] = [];
  let refused = 0;
  for (const path of RECORDINGS) {
    const recording = await read(path);
    for await (const one of judgeSabotages(path, recording, { seed: 1, most: 25 })) {
      const { way, what, command, verdict, isFalse, isPromise } = one;
      if (!isPromise) refused++;
      if (way === "nothing broken" && !isPromise) wrong.push(`${command}: ${verdict}, ${path}`);
      if (isFalse) wrong.push(`${command}: ${verdict}, ${way}: ${what}`);
    }
  }
  assertEquals(wrong, []);
  assertEquals(refused > 20, true, `${refused} plans refused`);
});

Deno.test("calibrate proves exactly the right plans if the application changes in what must not matter", async () => {
  for (const path of [...RECORDINGS, "testdata/har/labelled/shopping_cart.har"]) {
    for await (const { change, verdict, isRight } of judgeBystanders(path, await read(path))) {
      assertEquals([change, verdict === "proven"], [change, isRight]);
    }
  }
});

function read(path: string) {
  return readHar([Deno.readFileSync(path)], path);
}
