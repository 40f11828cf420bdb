import { assertEquals } from "@std/assert";
import { snapshotLive } from "../../src/comparison/response_snapshot.ts";
import { HttpResponse } from "../../src/http/sender.ts";

const TEXTS: Readonly<Record<string, readonly [type: string, body: string, text?: string]>> = {
  "text": ["text/plain", "Tea", "Tea"],
  "an empty body that would not be text": ["application/x-proto", "", ""],
  "no binary body": ["application/x-proto", "Tea"],
};

for (const [name, [type, body, text]] of Object.entries(TEXTS)) {
  Deno.test(`snapshotLive reads ${name}`, () => {
    const response = new HttpResponse();
    response.headers = [["content-type", type]];
    response.body = new TextEncoder().encode(body);
    response.bodySize = response.body.length;
    assertEquals(snapshotLive(response).text, text);
  });
}
