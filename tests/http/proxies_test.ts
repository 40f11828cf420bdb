import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { InputError } from "../../src/base/errors.ts";
import { proxyFor, readProxies } from "../../src/http/network_options.ts";
import { newResponse } from "../../src/http/sender.ts";
import { networkSender } from "../../src/http/network_session.ts";
import { resolveUrl } from "../../src/http/url.ts";
import { sendOnce, testOptions, testRequest } from "../support/http_client.ts";
import { ProxyServer } from "../support/proxy_server.ts";
import { pem, serverPair } from "../support/test_certificates.ts";
import { type Peer, wireServer } from "../support/wire_server.ts";

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

async function respond(peer: Peer): Promise<void> {
  while (await peer.head() !== "") await peer.write(OK);
}

const viaPlan = (url: string) => readProxies(url, () => undefined)!;

Deno.test("proxy: unencrypted requests are sent to the proxy with their full URL and the proxy's credentials", async () => {
  await using server = wireServer(respond);
  await using proxy = new ProxyServer();
  const options = testOptions({
    proxies: viaPlan(proxy.url.replace("//", "//joe:p%40ss@")),
  });
  const sender = networkSender(options);
  const session = sender.open();
  const request = testRequest(`http://shop.test:${server.port}/cart?a=1`);
  const statuses = [];
  for (let i = 0; i < 2; i++) {
    const response = newResponse();
    await session.send(request, response);
    statuses.push([response.status, response.bodySize, response.error]);
  }
  sender.close();
  assertEquals(statuses, [[200, 2, undefined], [200, 2, undefined]]);
  assertEquals(proxy.requests, [{
    line: `GET http://shop.test:${server.port}/cart?a=1 HTTP/1.1`,
    authorization: `Basic ${btoa("joe:p@ss")}`,
  }]);
});

for (const insecureSkipVerify of [false, true]) {
  const sockets = insecureSkipVerify ? "Node's" : "Deno's";
  Deno.test(`proxy: TLS goes through a tunnel, with ${sockets} sockets`, async () => {
    await using server = wireServer(respond, serverPair());
    await using proxy = new ProxyServer();
    const options = testOptions({ version: "auto", proxies: viaPlan(proxy.url) });
    const response = await sendOnce(
      testRequest(`https://localhost:${server.port}/`),
      { ...options, tls: { ...options.tls, ca: pem("ca.pem"), insecureSkipVerify } },
    );
    assertEquals([response.status, response.message], [200, undefined]);
    assertEquals(proxy.requests, [
      { line: `CONNECT localhost:${server.port} HTTP/1.1`, authorization: "" },
    ]);
  });
}

Deno.test("proxy: reports a proxy that refuses a tunnel, is down, or is not an HTTP proxy", async () => {
  await using refusing = new ProxyServer("407 Proxy Authentication Required");
  const request = testRequest("https://shop.test/");
  const refused = await sendOnce(request, testOptions({ proxies: viaPlan(refusing.url) }));
  assertEquals(refused.error, "connect");
  assertMatch(refused.message!, /the proxy did not connect to shop\.test: .*407 .*user name/);
  const down = await sendOnce(request, testOptions({ proxies: viaPlan("http://127.0.0.1:1") }));
  assertEquals(down.error, "refused");
  assertMatch(down.message!, /cannot connect to the proxy 127\.0\.0\.1:1: connection refused/);
  await using other = wireServer(async (peer) => {
    await peer.head();
    await peer.write("SSH-2.0\r\n\r\n");
  });
  const none = await sendOnce(
    request,
    testOptions({ proxies: viaPlan(`http://127.0.0.1:${other.port}`) }),
  );
  assertEquals(none.error, "connect");
  assertMatch(none.message!, /SSH-2\.0.*it is not an HTTP proxy/);
});

for (const insecureSkipVerify of [false, true]) {
  const sockets = insecureSkipVerify ? "Node's" : "Deno's";
  Deno.test(`proxy: closes the connection to a proxy that refuses a tunnel, with ${sockets} sockets`, async () => {
    const closed = Promise.withResolvers<void>();
    await using proxy = wireServer(async (peer) => {
      await peer.head();
      await peer.write("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n");
      await peer.untilClosed();
      closed.resolve();
    });
    const options = testOptions({ proxies: viaPlan(`http://127.0.0.1:${proxy.port}`) });
    const response = await sendOnce(
      testRequest("https://shop.test/"),
      { ...options, tls: { ...options.tls, insecureSkipVerify } },
    );
    assertEquals(response.error, "connect");
    await closed.promise;
  });
}

Deno.test("proxy: connects directly to an address in `hosts`", async () => {
  await using server = wireServer(respond);
  await using proxy = new ProxyServer();
  const response = await sendOnce(
    testRequest("http://shop.test/"),
    testOptions({
      proxies: viaPlan(proxy.url),
      hosts: { "shop.test": `127.0.0.1:${server.port}` },
    }),
  );
  assertEquals([response.status, proxy.requests.length], [200, 0]);
});

Deno.test("proxy: NO_PROXY covers names, suffixes, ports, addresses and networks", () => {
  const env: Record<string, string> = {
    HTTP_PROXY: "http://proxy.test:3128",
    https_proxy: "secure.test:8080",
    NO_PROXY: "internal.test, .corp.test,*.lan.test,only.test:81,10.0.0.0/8,192.168.1.5,[::2]",
  };
  const proxies = readProxies(undefined, (name) => env[name]);
  const isDirect = (url: string) =>
    proxyFor(resolveUrl(url, undefined).origin, proxies) === undefined;
  const direct = [
    ...[
      "http://internal.test/",
      "http://a.internal.test/",
      "http://x.corp.test",
      "http://x.lan.test",
    ],
    ...["http://only.test:81/", "http://10.200.1.1/", "http://192.168.1.5/", "http://[::2]/"],
    ...["http://localhost/", "http://127.0.0.1:8080/", "https://INTERNAL.test/"],
  ];
  const proxied = [
    ...["http://shop.test/", "http://corp.test/", "http://notinternal.test/", "http://only.test/"],
    ...["http://11.0.0.1/", "http://192.168.1.50/", "https://shop.test/"],
  ];
  assertEquals(direct.filter((url) => !isDirect(url)), []);
  assertEquals(proxied.filter(isDirect), []);
  const secure = proxyFor(resolveUrl("https://shop.test/", undefined).origin, proxies);
  assertEquals([secure?.hostname, secure?.port], ["secure.test", 8080]);
  assertEquals(readProxies(false, (name) => env[name]), undefined);
  assertEquals(readProxies(undefined, () => undefined), undefined);
  env.NO_PROXY = "*";
  const none = readProxies(undefined, (name) => env[name]);
  assertEquals(proxyFor(resolveUrl("http://shop.test/", undefined).origin, none), undefined);
});

Deno.test("proxy: an unsupported proxy in the environment fails only requests that need it", async () => {
  const env: Record<string, string> = {
    HTTPS_PROXY: "socks5://joe:secret@proxy.test:1080",
    NO_PROXY: "internal.test",
  };
  const proxies = readProxies(undefined, (name) => env[name])!;
  const proxyOf = (url: string) => proxyFor(resolveUrl(url, undefined).origin, proxies);
  for (const url of ["http://shop.test/", "https://internal.test/", "https://127.0.0.1:8443/"]) {
    assertEquals(proxyOf(url), undefined, url);
  }
  const error = assertThrows(() => proxyOf("https://shop.test/"), InputError, "only HTTP proxies");
  assertEquals([error.place.source, error.message.includes("secret")], ["HTTPS_PROXY", false]);
  const response = await sendOnce(testRequest("https://shop.test/"), testOptions({ proxies }));
  assertEquals(response.error, "connect");
  assertMatch(response.message!, /cannot use the proxy socks5:\/\/proxy\.test:1080: only HTTP/);
});

Deno.test("proxy: rejects unsupported proxy URLs without showing the password", () => {
  for (const url of ["https://joe:secret@proxy.test", "socks5://joe:secret@proxy.test:1080"]) {
    const error = assertThrows(() => viaPlan(url), InputError, "only HTTP proxies are supported");
    assertEquals(error.message.includes("secret"), false);
  }
});
