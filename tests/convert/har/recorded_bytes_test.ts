import { assertEquals } from "@std/assert";
import fc from "fast-check";
import {
  converted,
  harOf,
  meaning,
  onWire,
  recorded,
  sentRequests,
  wireCall,
} from "./wire_requests.ts";

const HARS = new URL("../../../testdata/har/bytes/", import.meta.url);

function read(name: string): string {
  return Deno.readTextFileSync(new URL(name, HARS));
}

/** Returns the numbers of the requests that the note with this code lists. */
async function noted(har: string, code: string): Promise<number[]> {
  const { notes } = await converted(read(har));
  const message = notes.filter((note) => note.code === code).map((note) => note.message).join();
  return [...message.matchAll(/request (\d+)/g)].map(([, number]) => Number(number));
}

Deno.test("a converted plan sends the recorded bytes, however the body was recorded", async () => {
  const calls = fc.array(wireCall, { minLength: 1, maxLength: 3 });
  await fc.assert(fc.asyncProperty(calls, async (calls) => {
    const sent = await sentRequests(harOf(calls.map(recorded)));
    const isTyped = (i: number) => calls[i].content[1] !== undefined;
    assertEquals(
      sent.map((request, i) => meaning(request, isTyped(i))),
      calls.map((call, i) => meaning(onWire(call), isTyped(i))),
    );
  }));
});

Deno.test("a converted plan sends the text of bodies that are not canonical forms", async () => {
  const { log } = JSON.parse(read("formraw.har"));
  const texts = log.entries.map(({ request }: Entry) => request.postData.text);
  assertEquals((await sentRequests(read("formraw.har"))).map(utf8Body), texts);
  assertEquals((await sentRequests(read("k6_487.har"))).map(utf8Body), [
    '{ "some": "other thing" }',
    "data=1&text=%D2%D4",
    "A=%df'&B=Hello",
    "data=1&text=%D2%D4",
    "__VIEWSTATE=%2FwEPDwUK%2BA%3D%3D&__EVENTTARGET=ctl00%24b&x=",
  ]);
});

interface Entry {
  readonly request: { readonly postData: { readonly text: string } };
}

function utf8Body({ body }: { readonly body: string }): string {
  return new TextDecoder().decode(Uint8Array.from(body, (char) => char.charCodeAt(0)));
}

Deno.test("a converted plan sends the targets that a browser sends", async () => {
  assertEquals((await sentRequests(read("query.har"))).map(({ target }) => target), [
    "/q?foo=bar+baz.pdf&x=a%2Bb&arr[]=1&arr[]=2&arr%5B%5D=3&empty=&flag&dup=1&dup=1&u=%C3%A9" +
    "&raw=%C3%A9&pct=100%&bad=%u2&bad2=%ZZ&semi=a;b&hash=%23",
    "/p%2Fa/b%20c/d+e/%E4/~x/(y)/[z]/%7Bw%7D/a|b/^/%60/;v=1,2/@:!$&'*=",
    "/q2?",
    "/q3?&&a=1&&",
    "/q4?a=1?b=2/../c",
    "/b/c//d",
    "/",
    "/q5?x=%22y%22%3Cz%3E\\",
    "/q6?json={%22a%22:[1,2]}&tpl=${vars.id}&$x=$$y",
  ]);
});

Deno.test("convert warns about bodies that the HAR does not contain completely", async () => {
  assertEquals(await noted("trunc_req.har", "missing-bodies"), [1]);
  assertEquals(await noted("upload.har", "missing-bodies"), [1, 2, 3, 4, 5, 6, 7]);
  const { notes } = await converted(read("upload.har"));
  const missing = notes.filter(({ code }) => code === "missing-bodies");
  assertEquals(missing.map(({ subject, message }) => `${subject}: ${message}`), [
    "rebuilt bodies: the HAR lacks the bodies of requests, which were rebuilt from the form in a " +
    "page or from another call, with placeholder files: request 1 (POST /up), " +
    "request 2 (POST /up2); check the fields and files",
    "request bodies: the HAR lacks the bodies of requests, or parts of them: a file was omitted, " +
    "text was cut off, or bytes were not decoded: request 3 (POST /up3), request 4 (POST /up4), " +
    "request 5 (POST /up5), request 6 (POST /up6), request 7 (POST /up7) and 2 more; " +
    "write the `body` of these requests",
  ]);
  const [gzip, decoded, whole] = (await sentRequests(read("upload.har"))).slice(8);
  assertEquals([gzip.coding, gzip.body], ["gzip", "\x1f\x8b\x08\0\0\0\0\0\0\x03\0\0"]);
  assertEquals([decoded.coding, decoded.body], [undefined, '{"plain":true}']);
  assertEquals([whole.coding, whole.body.length], ["gzip", 28]);
});

Deno.test("a form that is sent as text sends extracted values and secrets", async () => {
  const entry = (i: number, body: string | undefined, response: object) => ({
    startedDateTime: new Date(i * 1_000).toISOString(),
    time: 5,
    request: {
      method: body === undefined ? "GET" : "POST",
      url: `http://a.example/${i}`,
      headers: [],
      ...(body !== undefined && {
        postData: { mimeType: "application/x-www-form-urlencoded", text: body },
      }),
    },
    response: {
      status: 200,
      headers: [],
      content: { mimeType: "application/json", text: JSON.stringify(response) },
    },
  });
  const token = "8f3a1c2b/4d5e6f==";
  const form = `csrf=${encodeURIComponent(token)}&id=7391&password=Tea4Two!&q=a%20b`;
  const har = JSON.stringify({
    log: { entries: [entry(0, undefined, { csrf: token, id: 7391 }), entry(1, form, {})] },
  });
  assertEquals(utf8Body((await sentRequests(har, { csrf: token, id: 7391 }))[1]), form);
  assertEquals(
    utf8Body((await sentRequests(har, { csrf: "x/y z", id: 8 }))[1]),
    "csrf=x%2Fy%20z&id=8&password=Tea4Two!&q=a%20b",
  );
  const { plan } = await converted(har, { secrets: true });
  const [, { request }] = plan.scenarios.recorded.flow;
  assertEquals(
    request?.body,
    "csrf=${url_encode(csrf)}&id=${url_encode(id)}&password=${url_encode(secrets.PASSWORD)}&q=a%20b",
  );
});
