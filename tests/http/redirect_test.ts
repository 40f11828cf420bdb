import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { ExchangeError } from "../../src/http/exchange_error.ts";
import { resolveUrl } from "../../src/http/url.ts";
import { type RedirectPolicy, redirectRequest } from "../../src/http/redirect.ts";
import { HttpResponse, type Outgoing } from "../../src/http/sender.ts";
import { testRequest } from "../support/http_client.ts";

const BODY = new Uint8Array([1]);

const POLICY: RedirectPolicy = {
  isPlanned: ({ host }) => host === "planned.test",
  isSecret: (value) => value.includes("s3cret"),
};

function follow(status: number, location?: string, changes: Partial<Outgoing> = {}) {
  const request = testRequest("http://shop.test/a/b?c", changes);
  const response = { ...new HttpResponse(), status };
  if (location !== undefined) response.headers = [["location", location]];
  return redirectRequest(request, response, POLICY);
}

Deno.test("redirect: changes the method as browsers do", () => {
  const after = (status: number, method: string) => {
    const next = follow(status, "/x", { method, body: BODY });
    return [next?.method, next?.body];
  };
  for (const status of [301, 302]) {
    assertEquals(after(status, "POST"), ["GET", undefined]);
    assertEquals(after(status, "PUT"), ["PUT", BODY]);
    assertEquals(after(status, "GET"), ["GET", BODY]);
  }
  assertEquals(after(303, "PUT"), ["GET", undefined]);
  assertEquals(after(303, "HEAD"), ["HEAD", BODY]);
  for (const status of [307, 308]) assertEquals(after(status, "POST"), ["POST", BODY]);
});

Deno.test("redirect: does not follow responses that are not redirects or have no `Location`", () => {
  for (const status of [200, 201, 300, 304, 305, 306, 309, 404]) {
    assertEquals(follow(status, "/x"), undefined);
  }
  assertEquals(follow(302), undefined);
});

Deno.test("redirect: fails if the `Location` is invalid or its scheme is not HTTP", () => {
  for (const location of ["http://", "mailto:a@b", "javascript:x", "app://callback?code=1"]) {
    assertThrows(() => follow(302, location), ExchangeError, "redirect not followed");
  }
});

Deno.test("redirect: resolves locations relative to the request", () => {
  const target = (location: string) => follow(302, location)?.target;
  assertEquals(target("x"), "/a/x");
  assertEquals(target("../x y?q=é#top"), "/x%20y?q=%C3%A9");
  assertEquals(target("?d"), "/a/b?d");
  assertEquals(target("/100%/x?a=%u4F60&b=5%"), "/100%/x?a=%u4F60&b=5%");
  assertEquals(target("/x?#top"), "/x?");
  assertEquals(follow(302, "//other.test/x")?.origin.authority, "other.test");
});

Deno.test("redirect: does not send credentials or cookies to another origin", () => {
  const headers: [string, string][] = [
    ["Authorization", "x"],
    ["Cookie", "a=1"],
    ["Host", "vhost"],
    ["Content-Type", "a/b"],
    ["X-Own", "1"],
  ];
  const names = (status: number, location: string) =>
    follow(status, location, { method: "POST", headers, body: BODY })!.headers.map(([name]) =>
      name
    );
  assertEquals(names(307, "/x"), ["Authorization", "Host", "Content-Type", "X-Own"]);
  assertEquals(names(307, "https://shop.test/x"), ["Content-Type", "X-Own"]);
  assertEquals(names(303, "http://other.test/"), ["X-Own"]);
});

Deno.test("redirect: the redirected request uses the shared origin object, but not the encoded bytes of the original request", () => {
  const { origin } = testRequest("http://shop.test/");
  const next = follow(302, "http://SHOP.test:80/x", { encoded: BODY })!;
  assertStrictEquals(next.origin, origin);
  assertEquals(next.encoded, undefined);
});

Deno.test("redirect: does not send custom headers with credentials or secrets to another origin", () => {
  const names = [
    ...["X-Api-Key", "X-Auth-Token", "X-CSRF-Token", "x-session-id", "Ocp-Apim-Subscription-Key"],
    ...["X-Vault-Token", "X-Amz-Signature", "Authorization", "Proxy-Authorization"],
  ];
  const headers: [string, string][] = [
    ...names.map((name): [string, string] => [name, "x"]),
    ["X-Custom", "a s3cret b"],
    ["Accept", "a/b"],
    ["X-Keyboard", "x"],
  ];
  const kept = (location: string) => follow(302, location, { headers })!.headers.map(([n]) => n);
  assertEquals(kept("/x").length, headers.length);
  for (const location of ["http://other.test/", "https://shop.test/", "http://planned.test/"]) {
    assertEquals(kept(location), ["Accept", "X-Keyboard"]);
  }
});

Deno.test("redirect: sends a body only to the same host or to an origin of the plan", () => {
  const post = { method: "POST", body: BODY };
  for (const status of [307, 308]) {
    for (
      const to of ["/x", "https://shop.test/x", "http://shop.test:81/", "http://planned.test/"]
    ) {
      assertEquals(follow(status, to, post)?.body, BODY, to);
    }
    const error = assertThrows(() => follow(status, "http://other.test/x", post), ExchangeError);
    assertEquals(error.kind, "redirects");
    const secure = { ...post, ...resolveUrl("https://shop.test/", undefined) };
    assertThrows(() => follow(status, "http://shop.test/", secure), ExchangeError);
    assertEquals(follow(status, "http://other.test/x")?.method, "GET");
  }
  assertEquals(follow(302, "http://other.test/x", post)?.body, undefined);
});
