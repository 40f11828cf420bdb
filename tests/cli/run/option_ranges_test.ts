import { assertEquals, assertStringIncludes } from "@std/assert";
import { UsageError } from "../../../src/base/errors.ts";
import { tlsFault } from "../../../src/http/exchange_error.ts";
import { override } from "../../../src/plan/override.ts";
import { runCli } from "../../support/cli.ts";

Deno.test("run states the allowed range of a value that it rejects", async () => {
  const table: [string[], string][] = [
    [["--duration", "-5s"], "--duration cannot be -5s: expected a duration above 0, such as 30s"],
    [["--duration", "0"], "--duration cannot be 0: expected a duration above 0, such as 30s"],
    [["--vus", "-3"], "--vus cannot be -3: expected a whole number of at least 1"],
    [["--rate", "-.5"], "--rate cannot be -.5: expected a number above 0"],
    [["--rate", "1e999"], "--rate cannot be 1e999: expected a number above 0"],
    [["--rate", "1e12"], "1000000000000 exceeds the limit of 10000000"],
  ];
  for (const [options, message] of table) {
    const { code, stderr } = await runCli(["run", "http://127.0.0.1:1/", ...options]);
    assertEquals(code, 2);
    assertStringIncludes(stderr, message);
  }
});

for (const url of ["http://a.example/b?c=d", "http://a.example/#x"]) {
  Deno.test(`--base-url rejects ${url}, because a query or fragment would have no effect`, () => {
    let message = "";
    try {
      override({ scenarios: {} }, { baseUrl: url });
    } catch (error) {
      if (error instanceof UsageError) message = error.message;
    }
    assertStringIncludes(message, "--base-url cannot contain a query or fragment");
  });
}

Deno.test("the error for a TLS handshake with a plain HTTP server suggests http", () => {
  const hint = "(the server may speak plain HTTP: try http://)";
  const message = (text: string) => tlsFault(new Error(text), "a:80").message;
  assertStringIncludes(message("received corrupt message of type InvalidContentType"), hint);
  assertStringIncludes(message("error:0A00010B:SSL routines::wrong version number"), hint);
  assertEquals(message("certificate has expired").includes("try http://"), false);
});
