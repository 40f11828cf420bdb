import { assertEquals } from "@std/assert";
import { describeSkipped } from "../../../src/engine/steps/websocket.ts";

Deno.test("describeSkipped hides a secret of the plan that crosses the end of the searched part", () => {
  const hide = (text: string) => text.replaceAll("key-of-the-plan", "********");
  const message = (length: number) =>
    JSON.stringify({ access_token: "aB3".repeat(length), text: "key-of-the-plan" });
  for (let length = 2_640; length < 2_670; length++) {
    assertEquals(/key-/.test(describeSkipped(message(length), hide)), false, `${length}`);
  }
});
