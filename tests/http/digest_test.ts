import { assertEquals } from "@std/assert";
import { digestAuthorization, parseChallenges } from "../../src/http/digest.ts";

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
