import { assertEquals } from "@std/assert";
import { looksGenerated } from "../../../src/traffic/session/dynamic_value.ts";

Deno.test("looksGenerated distinguishes names that contain a digit from generated values", () => {
  for (const name of ["oauth2callback", "/oauth2callback", "step1Confirm", "page2", "gitHub"]) {
    assertEquals(looksGenerated(name), false, name);
  }
  for (const value of ["x8Kd2", "bcdf1efgxk", "qwrt5bnmp", "oauth2call4back", "a1b2c3d4"]) {
    assertEquals(looksGenerated(value), true, value);
  }
});
