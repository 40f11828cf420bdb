import { assert, assertEquals } from "@std/assert";
import { isBot } from "../../../../src/traffic/accesslog/collect/traffic_sample.ts";
import { measureCpu } from "../../../support/cpu_time.ts";

const CHROME = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36";

const BOTS: Record<string, readonly string[]> = {
  crawlers: [
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "AhrefsSiteAudit/6.1",
    "Barkrowler/0.9 (+https://babbar.tech/crawler)",
    "meta-externalagent/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)",
    `Mozilla/5.0 (Linux; Android 11; moto g power (2022)) ${CHROME} Chrome-Lighthouse`,
    "facebookexternalhit/1.1",
  ],
  "health checks": [
    "Amazon-Route53-Health-Check-Service (ref 1; report http://amzn.to/1vsZADi)",
    "Envoy/HC",
    "Prometheus/2.45.0",
    "Blackbox Exporter/0.24.0",
    "check_http/v2.3.3 (nagios-plugins 2.3.3)",
    "Zabbix",
    "New Relic Synthetics",
    "Apache/2.4.57 (Debian) (internal dummy connection)",
    "ELB-HealthChecker/2.0",
    "kube-probe/1.27",
    "GoogleHC/1.0",
    "Uptime-Kuma/1.23.0",
    "health-check",
    "HealthCheck",
    "Consul Health Check",
  ],
  "load tools": [
    ...["k6/0.47.0 (https://k6.io/)", "ApacheBench/2.3", "Apache-JMeter/5.6", "vegeta"],
    ...["wrk/4.2.0", "hey/0.0.1", "oha/1.4.0", "Siege/4.1", "h2load nghttp2/1.43.0"],
    ...["fortio.org/fortio-1.60.3", "rehearse/0.1.0"],
  ],
  scanners: [
    "Nuclei - Open-source project (github.com/projectdiscovery/nuclei)",
    "Mozilla/5.0 (compatible; Nessus)",
    "Acunetix",
    "w3af.org",
    "gobuster/3.6",
    "DirBuster-1.0-RC1",
    "Wfuzz/3.1.0",
    "Fuzz Faster U Fool v2.1.0",
    "Mozilla/5.0 (compatible; CensysInspect/1.1; +https://about.censys.io/)",
    "Mozilla/5.0 zgrab/0.x",
    "sqlmap/1.7#stable (https://sqlmap.org)",
  ],
  "HTTP libraries": [
    "python-httpx/0.25.0",
    "Python/3.11 aiohttp/3.9.1",
    "axios/1.6.2",
    "node-fetch/1.0 (+https://github.com/bitinn/node-fetch)",
    "libcurl/7.88.1",
    "curl/8.5.0",
    "Wget/1.21.4",
    "PycURL/7.45.2",
    "GuzzleHttp/7",
    "Go-http-client/1.1",
    "Java/1.8.0_392",
    "python-requests/2.31.0",
    "PostmanRuntime/7.36.0",
  ],
  "empty agents": ["", "-"],
};

for (const [kind, agents] of Object.entries(BOTS)) {
  Deno.test(`isBot returns true for ${kind}`, () =>
    assertEquals(agents.filter((agent) => !isBot(agent)), []));
}

const PEOPLE = [
  `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME}`,
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like " +
  "Gecko) Version/17.1 Mobile/15E148 Safari/604.1",
  "Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0",
  `Mozilla/5.0 (Linux; Android 10; CUBOT X30) ${CHROME}`,
  `Mozilla/5.0 (Linux; Android 9; CUBOT_P30) ${CHROME}`,
  `Mozilla/5.0 (Linux; Android 7.0;CUBOT CUBOT NOTE S) ${CHROME}`,
  "Mozilla/5.0 (Linux; U; Android 6.0; de-de; CUBOT DINOSAUR Build/MRA58K) AppleWebKit/534.30 " +
  "(KHTML, like Gecko) Version/4.0 Mobile Safari/534.30",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like " +
  "Gecko) Mobile/15E148 Instagram 309.0.0.28.108 (iPhone14,5; iOS 17_1)",
  "MyApp/1.2 CFNetwork/1474 Darwin/23.0.0",
  "Dalvik/2.1.0 (Linux; U; Android 13; Pixel 7 Build/TQ3A)",
  "Mozilla/5.0 (compatible; MSIE 9.0; Windows NT 6.1; WOW64; Trident/5.0; chromeframe/19.0.1084.52)",
  "okhttp/4.12.0",
  "Dart/3.2 (dart:io)",
];

Deno.test("isBot returns false for browsers and apps, even if the name of the phone contains `bot`", () => {
  assertEquals(PEOPLE.filter((agent) => isBot(agent)), []);
});

Deno.test("isBot returns the same result for user agents as CloudFront, Akamai and IIS encode them", () => {
  const encoders: Readonly<Record<string, (agent: string) => string>> = {
    CloudFront: (agent) => agent.replaceAll(" ", "%20").replaceAll('"', "%22"),
    "CloudFront, twice": (agent) => agent.replaceAll(" ", "%2520"),
    Akamai: encodeURIComponent,
    IIS: (agent) => agent.replaceAll(" ", "+"),
  };
  for (const [server, encode] of Object.entries(encoders)) {
    for (const agent of [...Object.values(BOTS).flat(), ...PEOPLE]) {
      assertEquals(isBot(encode(agent)), isBot(agent), `${server}: ${agent}`);
    }
  }
});

Deno.test("isBot returns true for a bot on a CUBOT phone", () => {
  assertEquals(
    isBot(`Mozilla/5.0 (Linux; Android 10; CUBOT X30) ${CHROME} Chrome-Lighthouse`),
    true,
  );
});

Deno.test("isBot takes less than 20 ms on average for an 8 KiB user agent", () => {
  const { seconds } = measureCpu(() => {
    for (let i = 0; i < 100; i++) isBot("Mozilla/5.0 (Linux; ".repeat(400) + i);
  });
  assert(seconds < 2, `${seconds} s`);
});
