import { assert, assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import fc, { ANY_CHARACTER } from "fast-check";
import { CookieJar } from "../../src/http/cookies.ts";
import { digestAuthorization, parseChallenges } from "../../src/http/digest.ts";
import { ExchangeError } from "../../src/http/exchange_error.ts";
import { type RedirectPolicy, redirectRequest } from "../../src/http/redirect.ts";
import { HttpResponse, type Outgoing } from "../../src/http/sender.ts";
import { addParams, encodeTarget, internOrigin, resolveUrl, UrlError } from "../../src/http/url.ts";
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

const CASES: [url: string, base: string | undefined, authority: string, target: string][] = [
  ["http://shop.test", undefined, "shop.test", "/"],
  ["HTTP://Shop.TEST:80/a", undefined, "shop.test", "/a"],
  ["https://shop.test:443?q=1#top", undefined, "shop.test", "/?q=1"],
  ["https://shop.test:8443/a/../b//c", undefined, "shop.test:8443", "/a/../b//c"],
  ["http://[::1]:8080/", undefined, "[::1]:8080", "/"],
  ["http://bücher.test/ü", undefined, "xn--bcher-kva.test", "/%C3%BC"],
  ['/a%2Fb%zz?x=a b&y="<>`', "http://shop.test", "shop.test", "/a%2Fb%zz?x=a%20b&y=%22%3C%3E`"],
  ["/100%/`?a=%u4F60&b=5%", "http://shop.test", "shop.test", "/100%/%60?a=%u4F60&b=5%"],
  ["//a", "http://shop.test/", "shop.test", "//a"],
  ["a", "http://shop.test/api/", "shop.test", "/api/a"],
  ["/a", "http://shop.test/api?x#y", "shop.test", "/api/a"],
  ["?a=1", "http://shop.test/api", "shop.test", "/api?a=1"],
  ["", "http://shop.test/api", "shop.test", "/api"],
  ["/?next=http://other.test/", "http://shop.test", "shop.test", "/?next=http://other.test/"],
  ["*", "http://shop.test", "shop.test", "*"],
];

for (const [url, base, authority, target] of CASES) {
  Deno.test(`url: resolves "${url}" with base ${base} to ${target} at ${authority}`, () => {
    const resolved = resolveUrl(url, base);
    assertEquals([resolved.origin.authority, resolved.target], [authority, target]);
    assertStrictEquals(resolveUrl(url, base).origin, resolved.origin);
  });
}

Deno.test("url: rejects URLs that requests cannot be sent to", () => {
  assertThrows(() => resolveUrl("/a", undefined), UrlError, "--base-url");
  assertThrows(() => resolveUrl("/a", "shop.test"), UrlError, "not absolute");
  assertThrows(() => resolveUrl("ftp://shop.test/", undefined), UrlError, "ftp://shop.test");
  assertThrows(() => resolveUrl("http://", undefined), UrlError);
  assertThrows(() => resolveUrl("http://a:99999/", undefined), UrlError);
  const error = assertThrows(() => resolveUrl("http://me:s3cret@a:99999/", undefined), UrlError);
  assertEquals(error.message.includes("s3cret"), false);
});

Deno.test("url: converts a percent-encoded user name and password to Basic authentication", () => {
  const { origin } = resolveUrl("http://shop.test/", undefined);
  const sent = (url: string, base?: string) => resolveUrl(url, base);
  const authorization = `Basic ${btoa("me:s3/cret")}`;
  assertEquals(sent("http://me:s3%2Fcret@shop.test/a"), { origin, authorization, target: "/a" });
  assertEquals(sent("/a", "http://me:s3%2Fcret@shop.test"), {
    origin,
    authorization,
    target: "/a",
  });
  assertEquals(sent("http://me%zz@shop.test/").authorization, `Basic ${btoa("me%zz:")}`);
  assertEquals(sent("http://shop.test/"), { origin, target: "/" });
});

Deno.test("url: encodes any string as a valid target and keeps a valid target unchanged", () => {
  fc.assert(fc.property(fc.string({ unit: ANY_CHARACTER }), (text) => {
    const target = encodeTarget(text);
    assert(/^\/[!-~]*$/.test(target) && !target.includes("#"));
    assertEquals(encodeTarget(target), target);
  }));
});

Deno.test("url: appends query parameters in order, including duplicates", () => {
  assertEquals(addParams("/a", []), "/a");
  assertEquals(addParams("/a", [["x", "1 2"], ["x", "&="]]), "/a?x=1%202&x=%26%3D");
  assertEquals(addParams("/a?b=c", [["é", ""]]), "/a?b=c&%C3%A9=");
  assertEquals(addParams("/a?", [["x", "1"]]), "/a?x=1");
});

const shop = internOrigin(false, "shop.test", 80);
const secureShop = internOrigin(true, "shop.test", 443);

Deno.test("cookies: are sent only to their host and path", () => {
  const jar = new CookieJar();
  jar.store(shop, "/a/b", "id=1; Path=/");
  jar.store(shop, "/a/b", "deep=2; HttpOnly");
  jar.store(secureShop, "/", "safe=3; Secure");
  assertEquals(jar.header(shop, "/"), "id=1");
  assertEquals(jar.header(shop, "/a/c?x"), "deep=2; id=1");
  assertEquals(jar.header(secureShop, "/"), "id=1; safe=3");
  assertEquals(jar.header(internOrigin(false, "other.test", 80), "/"), undefined);
  assertEquals(jar.get("id", shop, "/x"), "1");
});

Deno.test("cookies: apply to all ports of a host; a server can replace and delete them", () => {
  const jar = new CookieJar();
  const local = internOrigin(false, "127.0.0.1", 8080);
  jar.store(local, "/", "a=1");
  jar.store(local, "/", "a=2");
  assertEquals(jar.header(internOrigin(false, "127.0.0.1", 9090), "/"), "a=2");
  const { version } = jar;
  jar.store(local, "/", "a=; Max-Age=0");
  assertEquals(jar.header(local, "/"), undefined);
  assertEquals(jar.version > version, true);
});

Deno.test("cookies: ignores invalid cookies and cookies for other sites", () => {
  const jar = new CookieJar();
  jar.store(shop, "/", "a=1; Domain=other.test");
  jar.store(shop, "/", "b=1; Domain=test");
  jar.store(shop, "/", "");
  jar.store(shop, "/", "\0\x01;;;");
  assertEquals(jar.header(shop, "/"), undefined);
});

/** Challenges from the example in RFC 7616, section 3.9.1. */
const CHALLENGES = [
  'Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=SHA-256, ' +
  'nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", ' +
  'opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"',
  'Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=MD5, ' +
  'nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", ' +
  'opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"',
];
const USE = {
  method: "GET",
  uri: "/dir/index.html",
  cnonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
  count: 1,
};

function responseTo(header: string, credentials: string, use = USE): string | undefined {
  const [challenge] = parseChallenges(header);
  const authorization = digestAuthorization(challenge, credentials, use);
  return authorization && /response="(\w+)"/.exec(authorization)?.[1];
}

Deno.test("digest: computes the responses of RFC 7616 and RFC 2617", () => {
  assertEquals(CHALLENGES.map((header) => responseTo(header, "Mufasa:Circle of Life")), [
    "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1",
    "8ca523f5e9506fed4657c9700eebdbec",
  ]);
  const older = 'Digest realm="testrealm@host.com", qop="auth,auth-int", ' +
    'nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="5ccc069c403ebaf9f0171e9517f40e41"';
  assertEquals(
    responseTo(older, "Mufasa:Circle Of Life", { ...USE, cnonce: "0a4f113b" }),
    "6629fae49393a05397450978507c4ef1",
  );
  // RFC 2069, with the correction of erratum 749.
  const oldest = 'Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093"';
  assertEquals(responseTo(oldest, "Mufasa:CircleOfLife"), "1949323746fe6a43ef61f9606e7febea");
});

Deno.test("digest: reads several challenges, and skips those that it does not support", () => {
  const header = 'Basic realm="a, b", Digest realm="x\\"y", nonce=n1, algorithm=NEW, ' +
    'Digest realm="z", nonce="n2", qop=auth-int, Digest realm="w", nonce="n3"';
  const all = parseChallenges(header);
  assertEquals(all.map((challenge) => [challenge.get("realm"), challenge.get("nonce")]), [
    ['x"y', "n1"],
    ["z", "n2"],
    ["w", "n3"],
  ]);
  const supported = all.map((challenge) =>
    digestAuthorization(challenge, "a:b", USE) !== undefined
  );
  assertEquals(supported, [false, false, true]);
  assertEquals(parseChallenges("Negotiate, Basic realm=x"), []);
});
