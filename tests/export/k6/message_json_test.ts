import { assertEquals } from "@std/assert";
import { messageJson } from "../../../src/base/frames.ts";
import { SOCKET_HELPERS } from "../../../src/export/k6/socket_helpers.ts";
import { MESSAGES } from "../../base/frames/messages.ts";

Deno.test("a k6 script finds the same JSON in WebSocket messages as `run` does", () => {
  const { source } = SOCKET_HELPERS.withSocket;
  const inScript: (text: string) => string = new Function(`${source}\nreturn messageJson;`)();
  for (const [text] of MESSAGES) assertEquals(inScript(text), messageJson(text), text);
});
