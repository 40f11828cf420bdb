import { assertEquals } from "@std/assert";
import { messageJson } from "../../src/base/frames.ts";
import HELPERS from "../../src/export/k6_helpers.js" with { type: "text" };
import { MESSAGES } from "../base/frame_messages.ts";

Deno.test("a k6 script finds the same JSON in WebSocket messages as `run` does", () => {
  const inScript: (text: string) => string = new Function(`${HELPERS}\nreturn messageJson;`)();
  for (const [text] of MESSAGES) assertEquals(inScript(text), messageJson(text), text);
});
