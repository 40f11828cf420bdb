// k6 script of every key, exported from every_key.yaml by rehearse VERSION.
// What the language has, in one plan
//
// What k6 does differently from the plan:
// - token_count: the script does not record the metric [k6-omitted]
// - title: k6 has no XPath such as `//head/title` [k6-omitted]
// - log in: one heading: k6 has no XPath such as `//h1` [k6-omitted]
// - log in: xpath expression //main exists true: k6 has no XPath such as `//main` [k6-omitted]
// - body_matches pattern ^\{ negate false: a failed assertion ends the whole test [k6-changed]
// - GET /events: k6 reads the whole response, not single events: set a short `timeout` [k6-changed]
// - GET /events: k6 sends no conditional requests [k6-omitted]
// - browse: metric: scripts have no `metric` [k6-omitted]
// - data.items: iterations after the last row do nothing [k6-changed]
// - browse: foreach: scripts have no `foreach` [k6-omitted]
// - browse: during: scripts have no `during` [k6-omitted]
// - scenarios.browse.pacing: k6 does not limit the iterations of a VU: set `minIterationDuration` [k6-omitted]
// - scenarios.browse.throttle: k6 limits only the whole test: set `rps` [k6-omitted]
// - scenarios.steady: k6 starts iterations at equal intervals [k6-changed]
// - scenarios.replay: k6 starts iterations at equal intervals [k6-changed]
// - scenarios.manual.after: k6 cannot wait for another scenario: set its `startTime` [k6-omitted]
// - http_req_failed: k6 does not count failed extractors and assertions as failed requests [k6-changed]
// - orders{kind:test}: k6 has no metric `orders` [k6-omitted]
// - defaults.http.proxy: set HTTP_PROXY and HTTPS_PROXY for k6 [k6-omitted]
// - defaults.http.connect_timeout: k6 has only `timeout` [k6-omitted]
// - defaults.http.version: k6 negotiates the version, and HTTP/2 only over TLS [k6-omitted]
// - defaults.http.tls: set `tlsAuth` and `tlsVersion`, or SSL_CERT_FILE [k6-omitted]
// - data.items: the rows are in their order in the data [k6-changed]

import { check, fail, group, sleep } from "k6";
import { SharedArray } from "k6/data";
import { b64decode, b64encode } from "k6/encoding";
import exec from "k6/execution";
import { parseHTML } from "k6/html";
import http from "k6/http";
import { WebSocket } from "k6/websockets";

export const options = {
  scenarios: {
    browse: {
      executor: "constant-vus",
      vus: 10,
      duration: "1m30s",
      startTime: "5s",
      gracefulStop: "10s",
      tags: { kind: "browse", priority: "1" },
      exec: "browse",
    },
    climb: {
      executor: "ramping-vus",
      startVUs: 1,
      stages: [{ duration: "10s", target: 20 }, { duration: "1m", target: 0 }],
      gracefulRampDown: "5s",
      exec: "climb",
    },
    smoke: {
      executor: "per-vu-iterations",
      vus: 1,
      iterations: 1,
      maxDuration: "1m",
      exec: "smoke",
    },
    batch: {
      executor: "shared-iterations",
      vus: 4,
      iterations: 1000,
      maxDuration: "1h",
      exec: "batch",
    },
    steady: {
      executor: "constant-arrival-rate",
      rate: 25,
      timeUnit: "10s",
      duration: "5m",
      preAllocatedVUs: 5,
      maxVUs: 10,
      exec: "steady",
    },
    peak: {
      executor: "ramping-arrival-rate",
      startRate: 0,
      timeUnit: "10m",
      stages: [{ duration: "30s", target: 6005 }],
      preAllocatedVUs: 5,
      maxVUs: 50,
      exec: "peak",
    },
    replay: {
      executor: "constant-arrival-rate",
      rate: 25,
      timeUnit: "10s",
      duration: "2s",
      preAllocatedVUs: 5,
      maxVUs: 10,
      exec: "replay",
    },
    manual: {
      executor: "externally-controlled",
      vus: 5,
      maxVUs: 20,
      duration: "10m",
      exec: "manual",
    },
  },
  thresholds: {
    http_req_duration: [
      "p(95)<400",
      "avg<1500",
      { threshold: "p(99.9)<=2000", abortOnFail: true, delayAbortEval: "10s" },
    ],
    "http_req_duration{scenario:browse,name:log in}": ["med<200", "max<5000"],
    http_req_failed: ["rate<0.01"],
    "checks{check:ok,team:checkout}": ["rate>=0.99"],
    iterations: ["count>1000", "rate>10"],
    vus: ["value<=100"],
  },
  noCookiesReset: true,
  hosts: { "api.example.com": "127.0.0.1:8080" },
  insecureSkipTLSVerify: true,
  tags: { team: "checkout" },
  setupTimeout: "10m",
  teardownTimeout: "10m",
};

http.setResponseCallback(http.expectedStatuses({ min: 200, max: 399 }, 404));

const vars = { id: "1", region: env("REGION"), answer: "42" };

const secrets = { key: env("API_KEY"), token: open("./files/upload.txt").trimEnd() };

// Target of relative URLs; replace it with `k6 run -e BASE_URL=URL`.
const BASE_URL = __ENV.BASE_URL || `https://${env("HOST")}`;

// Headers and timeout of every request.
const HEADERS = {
  "Accept-Encoding": "gzip, deflate, br, zstd",
  Accept: "application/json",
  "X-Run": "7",
};
const TIMEOUT = "30s";

const BOUNDARY = `rehearse-${crypto.randomUUID()}`;

const users = new SharedArray("users", () => parseCsv(open("./files/users.csv"), ",", true));
const usersWeights = users.map((row) => Number(row.weight));
const items = new SharedArray("items", () => JSON.parse(open("./files/items.json")));
const colours = new SharedArray(
  "colours",
  () => [{ name: "red", code: 1 }, { name: "blue", code: [2, 3] }],
);
const visits = new SharedArray("visits", () => visitsIn([
  { start: 0, pause: 0, request: "look", url: "a" },
  { start: "", pause: 2.5, request: "look", url: "b" },
  { start: 7, pause: 0, request: "look", url: "c" },
]));
const uploadTxtFile = open("./files/upload.txt", "b");

export function setup() {
  let res, shared;
  let pauseDue = false;

  if (pauseDue) sleep(1);
  pauseDue = true;
  res = http.get(`${BASE_URL}/token`, params("GET /token", { auth: "digest" }));
  shared = extract(() => json(res, "token"));
  if (!((res.status >= 200 && res.status <= 399 || res.status === 404) && isSet(shared))) {
    fail("the setup failed: GET /token");
  }

  return { shared };
}

// A VU keeps these variables from one iteration to the next.
let token, nonce, csrf, title, build, place, visit2, ids, session, total, order;

export async function browse() {
  const usersRow = users[choose(usersWeights)];
  const uniqueId = uniqueText();
  const itemsRow = items[exec.vu.iterationInScenario];
  if (itemsRow === undefined) return; // no row is left
  const visit3 = randomItem(visits);
  let res;
  let pauseDue = false;

  if (pauseDue) sleep(0.3 + Math.random() * 1.7);
  pauseDue = true;
  res = http.post(
    `${BASE_URL}/login?lang=en&filter=a&filter=${encodeURIComponent(vars.region)}&filter=3`,
    JSON.stringify({
      user: usersRow["full name"],
      id: usersRow.id,
      vu: exec.vu.idInTest,
      at: [1.5, null, true, { deep: `\${literal} ${"browse"}` }],
    }),
    params("log in", {
      headers: {
        "Content-Type": "application/vnd.api+json",
        Authorization: `Bearer ${secrets.key}`,
        "X-Run": null,
      },
      tags: { step: "login" },
      timeout: "5s",
      redirects: 0,
      auth: "digest",
      responseCallback: http.expectedStatuses({ min: 200, max: 201 }),
    }),
  );
  token = extract(() => json(res, "session.token"), {
    transform: (value) => number(pathAndQuery(decodeEscapes(decodeHtml(b64decode(b64encode(decodeURIComponent(encodeURIComponent(String(value).trim().toLowerCase().toUpperCase()))).replace(/-/g, "+").replace(/_/g, "/").replace(/=+$/, ""), "rawstd", "s"))))),
    fallback: "none",
  });
  nonce = extract(() => matches(inRow(res, `Tea ${uniqueId}`), /nonce="([^"]+)"/g, 1)[2]);
  csrf = extract(() => res.html().find("input[name=csrf]").filter("[value]").attr("value"));
  // - type: xpath
  //   name: title
  //   expression: //head/title
  build = extract(() => randomItem(between(res, "build:", ";")));
  place = extract(() => res.headers.Location?.match(/id=(\d+)/)?.[1]);
  visit2 = extract(() => cookieValues(res, "visit_id")[0]);
  ids = extract(() => nonEmpty(query(res, ["items", (item) => item?.stock > 0, "id"])));
  // - type: xpath
  //   name: one heading
  //   expression: //h1
  //   count: 1
  // - type: xpath
  //   expression: //main
  //   exists: true
  check(
    res,
    {
      "body_contains value ${data.users.full name} negate false": (r) => r.status !== 0 && isSet(usersRow["full name"]) && (r.body || "").includes(usersRow["full name"]),
      "body_matches pattern ^\\{ negate false": (r) => r.status !== 0 && /^\{/.test(r.body || ""),
      "jsonpath expression $.session exists true": (r) => json(r, "session") !== undefined,
      "no error": (r) => r.status !== 0 && elements(r, ".error").length === 0,
      soon: (r) => r.status !== 0 && r.timings.duration <= 2000,
      small: (r) => r.status !== 0 && bodySize(r) >= 1,
      typed: (r) => r.headers["Content-Type"] !== undefined && r.headers["Content-Type"].includes("json"),
      ok: (r) => r.status === 200,
      "status matches ^2": (r) => r.status !== 0 && /^2/.test(r.status),
      greeting: (r) => r.status !== 0 && !(r.body || "").includes("hello"),
      pattern: (r) => r.status !== 0 && !/hello/.test(r.body || ""),
      name: (r) => r.status !== 0 && json(r, "name") === "Ada",
      heading: (r) => r.status !== 0 && elements(r, "h1").length > 0,
      fast: (r) => r.status !== 0 && r.timings.duration <= 400,
      size: (r) => r.status !== 0 && bodySize(r) >= 1 && bodySize(r) <= 1000000,
      "size equals 512": (r) => r.status !== 0 && bodySize(r) === 512,
      cached: (r) => r.headers["X-Cache"] !== undefined && r.headers["X-Cache"] === "HIT",
      "header header ETag exists true": (r) => r.headers.Etag !== undefined,
      "header header Location matches ^/cart": (r) => r.headers.Location !== undefined && new RegExp("^/cart").test(r.headers.Location),
      "jsonpath expression $.total gt 0 gte 0.5 lt 1000 lte 999.99": (r) => r.status !== 0 && parseFloat(json(r, "total")) > 0 && parseFloat(json(r, "total")) >= 0.5 && parseFloat(json(r, "total")) < 1000 && parseFloat(json(r, "total")) <= 999.99,
      "jsonpath expression $.name matches ^A": (r) => r.status !== 0 && json(r, "name") !== undefined && /^A/.test(json(r, "name")),
      "jsonpath expression $.items[*] count 3": (r) => r.status !== 0 && query(r, ["items", all]).length === 3,
      "css expression li count {\"gte\":1,\"gt\":0,\"lt\":100,\"lte\":99}": (r) => r.status !== 0 && elements(r, "li").length > 0 && elements(r, "li").length >= 1 && elements(r, "li").length < 100 && elements(r, "li").length <= 99,
      "body_contains value <li> count {\"gte\":2}": (r) => r.status !== 0 && ((r.body || "").split("<li>").length - 1) >= 2,
      "body_matches pattern item-\\d+ count {\"lt\":10}": (r) => r.status !== 0 && matches(r, /item-\d+/g, 0).length < 10,
      "header header Age gt 0 gte 1 lt 3600 lte 3599": (r) => r.headers.Age !== undefined && parseFloat(r.headers.Age) > 0 && parseFloat(r.headers.Age) >= 1 && parseFloat(r.headers.Age) < 3600 && parseFloat(r.headers.Age) <= 3599,
    },
    { step: "login" },
  );
  if (!([200, 201].includes(res.status))) {
    fail("the assertion failed: logged in");
  }
  if (!(res.status !== 0 && /^\{/.test(res.body || ""))) {
    exec.test.abort("the assertion failed: body_matches pattern ^\\{ negate false");
  }
  if (!(json(res, "session") !== undefined)) {
    exec.test.abort("the assertion failed: jsonpath expression $.session exists true");
  }

  if (pauseDue) sleep(0.3 + Math.random() * 1.7);
  pauseDue = true;
  res = http.get(
    `${BASE_URL}/events`,
    params("GET /events", { headers: { "Accept-Encoding": null } }),
  );

  if (pauseDue) sleep(0.3 + Math.random() * 1.7);
  pauseDue = true;
  if (canSend("events", token)) {
    await withSocket(
      encodeUrl(`https://events.example.com/socket?token=${token}`).replace(/^http/i, "ws"),
      ["graphql-transport-ws"],
      {
        headers: params("", { headers: { Origin: "https://shop.example.com" } }).headers,
        tags: { step: "events", name: "events" },
        compression: "deflate",
      },
      async (events) => {
        if (isSet(token)) events.send(`hello ${token}`);
        events.send("subscribe");
        events.send(JSON.stringify({ type: "connection_init", user: exec.vu.idInTest }));
        events.send(b64decode("aGVsbG8="));

        res = await events.expect((r) => r.status !== 0 && json(r, "type") === "connection_ack", 5);
        session = extract(() => json(res, "session"));

        await events.wait(10);
        await events.close(3000, "bye");
      },
      { receive: "2", send: "3" },
    );
  }

  // - metric:
  //     name: orders
  //     type: counter
  //     value: "${total ?? 1}"
  //     tags:
  //       kind: test

  total = ((exec.vu.idInTest * 10) + exec.vu.iterationInScenario);
  order = isSet(total) ? withText({
    sku: `a-${String((place ?? vars.region)).toUpperCase()}`,
    lines: [1, total],
    session: (session ?? 1),
  }) : undefined;

  sleep(2);
  pauseDue = false;

  sleep(1);
  pauseDue = false;

  sleep(gaussian(3, 0.5));
  pauseDue = false;

  group("basket", () => {
    if (pauseDue) sleep(0.3 + Math.random() * 1.7);
    pauseDue = true;
    if (canSend(
      "GET /items/${data.items.sku}?t=${url_encode(token)}&n=${random_int(1,10)}",
      itemsRow.sku,
      token,
    )) {
      res = http.get(
        encodeUrl(`${BASE_URL}/items/${itemsRow.sku}?t=${encodeURIComponent(String(token))}&n=${randomInt(1, 10)}`),
        params(
          "GET /items/${data.items.sku}?t=${url_encode(token)}&n=${random_int(1,10)}",
          { auth: "digest" },
        ),
      );
    } else {
      res = noResponse();
    }

    if (pauseDue) sleep(0.3 + Math.random() * 1.7);
    pauseDue = true;
    if (canSend("POST https://other.example.com/${base64(nonce)}", nonce)) {
      res = http.post(
        encodeUrl(`https://other.example.com/${b64encode(String(nonce))}`),
        `text ${crypto.randomUUID()} at ${Date.now()} in ${exec.vu.iterationInScenario}`,
        params("POST https://other.example.com/${base64(nonce)}", { auth: "digest" }),
      );
    } else {
      res = noResponse();
    }

    if (pauseDue) sleep(0.3 + Math.random() * 1.7);
    pauseDue = true;
    if (canSend("POST /form", csrf)) {
      res = http.post(`${BASE_URL}/form`, form([["a", csrf], ["b", 1], ["b", true]]), params(
        "POST /form",
        { headers: { "Content-Type": "application/x-www-form-urlencoded" }, auth: "digest" },
      ));
    } else {
      res = noResponse();
    }

    if (pauseDue) sleep(0.3 + Math.random() * 1.7);
    pauseDue = true;
    res = http.post(`${BASE_URL}/form`, form([["a", "1"], ["a", 2]]), params(
      "POST /form",
      { headers: { "Content-Type": "application/x-www-form-urlencoded" }, auth: "digest" },
    ));

    if (pauseDue) sleep(0.3 + Math.random() * 1.7);
    pauseDue = true;
    if (canSend("PUT /upload", title, build)) {
      res = http.put(
        `${BASE_URL}/upload`,
        multipart([
          { name: "note", content: `a ${title}`, type: "text/plain" },
          { name: "file", content: uploadTxtFile, filename: `${build}.txt` },
          { name: "raw", content: b64decode("aGVsbG8=") },
        ]),
        params("PUT /upload", {
          headers: { "Content-Type": `multipart/form-data; boundary=${BOUNDARY}` },
          auth: "digest",
        }),
      );
    } else {
      res = noResponse();
    }

    if (pauseDue) sleep(0.3 + Math.random() * 1.7);
    pauseDue = true;
    res = http.post(`${BASE_URL}/raw`, uploadTxtFile, params("POST /raw", { auth: "digest" }));

    if (pauseDue) sleep(0.3 + Math.random() * 1.7);
    pauseDue = true;
    res = http.post(
      `${BASE_URL}/raw`,
      b64decode("aGVsbG8="),
      params("POST /raw", { auth: "digest" }),
    );
  });

  switch (choose([3, 1])) {
    case 0: { // often
      if (pauseDue) sleep(0.3 + Math.random() * 1.7);
      pauseDue = true;
      res = http.get(`${BASE_URL}/often`, params("GET /often", { auth: "digest" }));
      break;
    }
    case 1: {
      sleep(0.1);
      pauseDue = false;
      break;
    }
  }

  let due = Date.now() / 1000;
  for (const visitsRow of visit3) {
    due += Math.min(visitsRow.pause, 30);
    sleep(Math.max(0, due - Date.now() / 1000));
    switch (visitsRow.request) {
      case "look": {
        if (pauseDue) sleep(0.3 + Math.random() * 1.7);
        pauseDue = true;
        res = http.get(
          encodeUrl(`${BASE_URL}/${visitsRow.url}`),
          params("GET /${data.visits.url}", { auth: "digest" }),
        );
        break;
      }
    }
  }

  for (let i = 0; i < 3; i++) {
    if (pauseDue) sleep(0.3 + Math.random() * 1.7);
    pauseDue = true;
    res = http.get(`${BASE_URL}/again`, params("GET /again", { auth: "digest" }));
  }

  // - foreach:
  //     items: ${ids}
  //     as: item
  //     steps:
  //       - request:
  //           url: /items/${item}

  // - foreach:
  //     items:
  //       - 1
  //       - b
  //       - c: 3
  //     as: part
  //     steps:
  //       - request:
  //           url: /parts/${part}

  if (res.status === 200) {
    if (pauseDue) sleep(0.3 + Math.random() * 1.7);
    pauseDue = true;
    res = http.get(`${BASE_URL}/yes`, params("GET /yes", { auth: "digest" }));
  } else {
    if (pauseDue) sleep(0.3 + Math.random() * 1.7);
    pauseDue = true;
    res = http.get(`${BASE_URL}/no`, params("GET /no", { auth: "digest" }));
  }

  for (let i = 0; i < 100 && (place !== undefined && /^\d+$/.test(place)); i++) {
    if (pauseDue) sleep(0.3 + Math.random() * 1.7);
    pauseDue = true;
    if (canSend("GET /next/${place}", place)) {
      res = http.get(
        encodeUrl(`${BASE_URL}/next/${place}`),
        params("GET /next/${place}", { auth: "digest" }),
      );
    } else {
      res = noResponse();
    }
  }

  // - during:
  //     duration: 10s
  //     steps:
  //       - request:
  //           url: /poll

  for (let round = 1; ; round++) {
    if (pauseDue) sleep(0.3 + Math.random() * 1.7);
    pauseDue = true;
    res = http.get(`${BASE_URL}/state`, params("GET /state", { auth: "digest" }));
    if (round >= 5 || (visit2 === "done")) {
      check(res, { "the condition of `retry` is true": () => visit2 === "done" });
      break;
    }
    sleep(0.25);
  }

  if (vars.region !== undefined) {
    sleep(1);
    pauseDue = false;
  }

  if ((total > 10) && !(/^x/.test(String(place)))) {
    sleep(1);
    pauseDue = false;
  }

  for (let i = 0; i < 10000 && ((parseFloat(total) > 1 && parseFloat(total) >= 1 && parseFloat(total) < 9 && parseFloat(total) <= 9) && (!(total == 5)) && ((res.status === 200) || (visit2 !== undefined))); i++) {
    total = isSet(total) ? (total - 1) : undefined;
  }

  await inParallel(2, [
    async () => {
      let res;
      let pauseDue = false;
      if (pauseDue) await pause(0.3 + Math.random() * 1.7);
      pauseDue = true;
      res = await http.asyncRequest(
        "GET",
        `${BASE_URL}/left`,
        null,
        params("GET /left", { auth: "digest" }),
      );
    },
    async () => {
      let res;
      let pauseDue = false;
      if (pauseDue) await pause(0.3 + Math.random() * 1.7);
      pauseDue = true;
      res = await http.asyncRequest(
        "GET",
        `${BASE_URL}/right`,
        null,
        params("GET /right", { auth: "digest" }),
      );
    },
  ]);
}

export function climb() {
  let pauseDue = false;

  if (pauseDue) sleep(1);
  pauseDue = true;
  http.get(`${BASE_URL}/`, params("GET /", { auth: "digest" }));
}

export function smoke() {
  let pauseDue = false;

  if (pauseDue) sleep(1);
  pauseDue = true;
  http.get(`${BASE_URL}/`, params("GET /", { auth: "digest" }));
}

export function batch() {
  let pauseDue = false;

  if (pauseDue) sleep(1);
  pauseDue = true;
  http.get(`${BASE_URL}/`, params("GET /", { auth: "digest" }));
}

export function steady() {
  let pauseDue = false;

  if (pauseDue) sleep(1);
  pauseDue = true;
  http.get(`${BASE_URL}/`, params("GET /", { auth: "digest" }));
}

export function peak() {
  let pauseDue = false;

  if (pauseDue) sleep(1);
  pauseDue = true;
  http.get(`${BASE_URL}/`, params("GET /", { auth: "digest" }));
}

export function replay() {
  let pauseDue = false;

  if (pauseDue) sleep(1);
  pauseDue = true;
  http.get(`${BASE_URL}/`, params("GET /", { auth: "digest" }));
}

export function manual() {
  let pauseDue = false;

  if (pauseDue) sleep(1);
  pauseDue = true;
  http.get(`${BASE_URL}/`, params("GET /", { auth: "digest" }));
}

export function teardown(setupData) {
  let pauseDue = false;

  if (pauseDue) sleep(1);
  pauseDue = true;
  if (canSend("DELETE /token/${setup.shared}", setupData.shared)) {
    http.del(
      encodeUrl(`${BASE_URL}/token/${setupData.shared}`),
      null,
      params("DELETE /token/${setup.shared}", { auth: "digest" }),
    );
  }
}

// Returns the parameters of a request: its name in metrics, and what differs from the defaults.
// A header that is null is not sent.
function params(name, { headers, tags, ...more } = {}) {
  const all = Object.entries({ ...HEADERS, ...headers });
  return {
    timeout: TIMEOUT,
    ...more,
    headers: Object.fromEntries(all.filter(([, value]) => value !== null)),
    tags: { ...tags, name },
  };
}

// Reports whether all variables of a request have a value. Otherwise, it is not sent.
function canSend(name, ...values) {
  if (isSet(...values)) return true;
  console.warn(`not sent, because a variable has no value: ${name}`);
  return false;
}

// Reports whether all values are known.
function isSet(...values) {
  return !values.includes(undefined);
}

// Response of a request that was not sent.
function noResponse() {
  return { status: 0, body: null, headers: {}, cookies: {}, timings: { duration: 0 } };
}

// Replaces lone surrogates, which cannot be encoded. k6 has no String.prototype.toWellFormed.
function wellFormed(text) {
  const isLone = (c) => c.length === 1 && c >= "\uD800" && c <= "\uDFFF";
  return Array.from(text, (c) => (isLone(c) ? "\uFFFD" : c)).join("");
}

// Percent-encodes the characters of a URL that cannot be sent. Keeps what is already encoded.
function encodeUrl(url) {
  const [, path, query] = wellFormed(url).match(/^([^?#]*)([^#]*)/);
  return path.replace(/[^!$-;=?-_a-~]|%(?![0-9A-Fa-f]{2})/gu, encodeURIComponent) +
    query.replace(/[^!$-;=?-~]/gu, encodeURIComponent);
}

// Encodes the fields of a form in their order. k6 itself would sort them.
function form(fields) {
  const encode = (value) =>
    encodeURIComponent(wellFormed(String(value)))
      .replace(/%20/g, "+")
      .replace(/[!'()~]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  return fields.map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&");
}

// Encodes the parts of a multipart/form-data body. Content is text or an ArrayBuffer.
function multipart(parts) {
  const escape = (text) => text.replace(/\r/g, "%0D").replace(/\n/g, "%0A").replace(/"/g, "%22");
  const chunks = parts.flatMap(({ name, content, filename, type }) => {
    const file = filename === undefined ? "" : `; filename="${escape(filename)}"`;
    const contentType = type || (file === "" ? undefined : "application/octet-stream");
    const head = `Content-Disposition: form-data; name="${escape(name)}"${file}\r\n` +
      (contentType === undefined ? "" : `Content-Type: ${contentType}\r\n`);
    return [`--${BOUNDARY}\r\n${head}\r\n`, content, "\r\n"];
  });
  const bytes = [...chunks, `--${BOUNDARY}--\r\n`].map((chunk) =>
    new Uint8Array(typeof chunk === "string" ? b64decode(b64encode(chunk)) : chunk)
  );
  const body = new Uint8Array(bytes.reduce((size, { length }) => size + length, 0));
  let at = 0;
  for (const chunk of bytes) {
    body.set(chunk, at);
    at += chunk.length;
  }
  return body.buffer;
}

// Returns an environment variable, which must be set.
function env(name) {
  if (__ENV[name] !== undefined) return __ENV[name];
  throw new Error(`set the variable: k6 run -e ${name}=VALUE`);
}

// Returns a random index. Its probability is proportional to the weight at this index.
function choose(weights) {
  let left = Math.random() * weights.reduce((sum, weight) => sum + weight, 0);
  return weights.findIndex((weight) => (left -= weight) < 0);
}

// Parses CSV text. Returns a map from column names to values for each row.
function parseCsv(text, delimiter, hasHeader) {
  const rows = [[]];
  const source = text.replace(/^\uFEFF/, "").replace(/\r?\n$/, "");
  const quote = delimiter.replace(/[\\^$.*+?()[\]{}|-]/, "\\$&");
  const field = new RegExp(`(?:"((?:[^"]|"")*)"|([^${quote}\\r\\n]*))(${quote}|\\r?\\n|$)`, "y");
  for (let end = ""; field.lastIndex <= source.length;) {
    const match = field.exec(source);
    if (match === null) throw new Error("the CSV file has an invalid field");
    const [, quoted, plain] = match;
    rows[rows.length - 1].push(quoted === undefined ? plain : quoted.replace(/""/g, '"'));
    end = match[3];
    if (end === "") break;
    if (end.endsWith("\n")) rows.push([]);
  }
  const columns = hasHeader ? rows.shift() : rows[0].map((_value, i) => String(i));
  return rows
    .filter((row) => row.length > 1 || row[0] !== "")
    .map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i]])));
}

// Returns the rows of each recorded visit. Only the first row of a visit has a start.
function visitsIn(rows) {
  const visits = [];
  for (const row of rows) {
    const isFirst = row.start !== "" && row.start !== undefined;
    if (isFirst) visits.push([]);
    visits[visits.length - 1].push({ ...row, pause: isFirst ? 0 : Number(row.pause) });
  }
  return visits;
}

// Runs functions at the same time, at most `max` of them.
async function inParallel(max, branches) {
  const waiting = branches.values();
  const work = async () => {
    for (const branch of waiting) await branch();
  };
  await Promise.all(Array.from({ length: Math.min(max, branches.length) }, work));
}

// Pauses without blocking the other branches.
function pause(seconds) {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}

// Returns a random number from a normal distribution, at least 0.
function gaussian(mean, deviation) {
  const size = Math.sqrt(-2 * Math.log(1 - Math.random()));
  return Math.max(0, mean + deviation * size * Math.cos(2 * Math.PI * Math.random()));
}

// Returns the value that `find` finds in a response. If it finds none, returns the fallback.
function extract(find, { transform, fallback } = {}) {
  try {
    const found = find();
    if (found === undefined) return fallback;
    if (transform === undefined) return found;
    return Array.isArray(found)
      ? withText(found.map((item) => transform(withText(item))))
      : transform(found);
  } catch (_error) {
    return undefined; // There is no body, or it has another format.
  }
}

// Returns the value at a GJSON path of a response. A number that JavaScript would round stays text.
function json(res, path) {
  if (!res.body) return undefined;
  const value = res.json(path);
  if (typeof value === "string" || typeof value === "boolean") return value;
  const source = value === undefined || value === null ? value : res.json(`${path}|@tostr`);
  if (typeof value === "number") return String(value) === source ? value : source;
  return source ? withText(JSON.parse(source), source) : value;
}

// Returns the values that the steps select in a JSON response. A step is a member, an index, `all`,
// or a condition. With `row`, returns only the values in the item of the innermost list in which an
// item has this text.
const all = () => true;
function query(res, steps, row) {
  let found = [];
  try {
    found = [{ value: JSON.parse(res.body), list: () => undefined }];
  } catch (_error) {
    return [];
  }
  for (const step of steps) found = found.flatMap((one) => select(one, step));
  if (row !== undefined) found = found.filter(({ list }) => showsText(list(row), row));
  return found.map(({ value }) => withText(value));
}

function select(parent, step) {
  const { value } = parent;
  if (typeof value !== "object" || value === null) return [];
  const isList = Array.isArray(value);
  const child = (key) => ({
    value: value[key],
    list: (row) =>
      isList && value.some((item) => showsText(item, row)) ? value[key] : parent.list(row),
  });
  if (typeof step === "function") {
    return Object.keys(value).filter((key) => step(value[key])).map(child);
  }
  if (isList !== (typeof step === "number")) return [];
  const key = step < 0 ? value.length + step : step;
  return Object.hasOwn(value, key) ? [child(key)] : [];
}

// Reports whether a map has a member with this text, or contains a map that has one.
function showsText(value, text, depth = 2) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.values(value).some((one) =>
    typeof one === "object" ? depth > 0 && showsText(one, text, depth - 1) : String(one) === text
  );
}

// Returns the elements of a page that a CSS selector matches.
function elements(res, selector) {
  return res.body ? res.html().find(selector).toArray() : [];
}

// Returns the response with only the table row or list item that shows a text.
function inRow(res, wanted) {
  const decode = (shown) => parseHTML(`<i>${shown}</i>`).text().trim().replace(/\s+/g, " ");
  const text = /^\s*[[{]/.test(res.body) ? decodeEscapes(res.body) : res.body || "";
  const rows = text.match(ROW) || [];
  const body = rows.find((row) =>
    [...row.matchAll(/>([^<>]+)(?=<|$)|=\s*"([^"]*)"|=\s*'([^']*)'/g)]
      .some(([, ...texts]) => decode(texts.find((one) => one !== undefined)) === wanted)
  );
  const page = parseHTML(/^<t/i.test(body) ? `<table>${body}</table>` : body || "");
  return { body, html: () => page };
}
const ROW =
  /<(tr|li|option|article|item|entry|div(?=[^>]*\s(?:role=|data-(?:[\w-]*-)?id=|class=["']?[^"'>]*\w[-_](?:row|item)[\s"'>])))\b[^]*?(?=<\1\b|<\/(?:\1|table|ul|ol|select)\b|$)/gi;

// Returns a capture group of each match of a regular expression (with the flag g) in the body.
function matches(res, pattern, group) {
  return [...(res.body || "").matchAll(pattern)]
    .map((match) => match[group])
    .filter((text) => text !== undefined);
}

// Returns each text between two delimiters in the body.
function between(res, left, right) {
  const body = res.body || "";
  const found = [];
  for (let at = body.indexOf(left); at >= 0;) {
    const from = at + left.length;
    const to = right === "" ? body.length : body.indexOf(right, from);
    if (to < 0) break;
    found.push(body.slice(from, to));
    const next = body.indexOf(left, Math.max(to + right.length, at + 1));
    at = next > at ? next : -1;
  }
  return found;
}

// Returns the values of a cookie that the response sets, or else the value in the cookie jar.
function cookieValues(res, name) {
  const set = res.cookies[name] || [];
  if (set.length > 0) return set.map(({ value }) => value);
  return http.cookieJar().cookiesForURL(res.url)[name] || [];
}

// Returns the size of the body in bytes, before decompression if the server states it.
function bodySize(res) {
  const stated = Number(res.headers["Content-Length"]);
  return stated >= 0 ? stated : encodeURIComponent(res.body || "").replace(/%../g, ".").length;
}

// Returns a list, or undefined if it is empty.
function nonEmpty(list) {
  return list.length > 0 ? withText(list) : undefined;
}

// Returns a random item of a list.
function randomItem(list) {
  return list[Math.floor(Math.random() * list.length)];
}

// Decodes the character references in a text.
function decodeHtml(text) {
  return parseHTML(`<i>${text.replace(/</g, "&lt;")}</i>`).text();
}

// Decodes the escape sequences of a JSON or JavaScript string.
function decodeEscapes(text) {
  const names = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v", 0: "\0" };
  const escaped = /\\(?:u\{(\w+)\}|u(\w{4})|x(\w{2})|([^]))/g;
  return text.replace(escaped, (_all, point, unit, byte, other) => {
    const code = point || unit || byte;
    return code ? String.fromCodePoint(parseInt(code, 16)) : names[other] || other;
  });
}

// Returns the path and query of a URL.
function pathAndQuery(url) {
  const [reference] = url.trim().split("#");
  const [origin] = /^(?:[a-z][a-z0-9+.-]*:)?\/\/[^/?#\\]*/i.exec(reference) || [];
  if (origin === undefined) return reference;
  const rest = reference.slice(origin.length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}

// Makes a list or map JSON when it becomes part of a string.
function withText(value, source = JSON.stringify(value)) {
  if (typeof value !== "object" || value === null) return value;
  return Object.defineProperty(value, "toString", { value: () => source, configurable: true });
}

// Returns a text as a number. Throws an error if it is not one.
function number(text) {
  if (/^\s*-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?\s*$/.test(text)) return Number(text);
  throw new Error(`not a number: ${text}`);
}

// Returns a random whole number from min to max, both included.
function randomInt(min, max) {
  return min + Math.floor(Math.random() * (max - min + 1));
}

// Returns random text that consists of the given characters.
function randomText(length, characters) {
  return Array.from({ length }, () => randomItem(characters)).join("");
}

// Returns letters and digits that are new in each iteration.
function uniqueText() {
  const letters = "abcdefghijklmnopqrstuvwxyz";
  return randomText(1, letters) + randomText(1, "0123456789") +
    randomText(8, `${letters}0123456789`);
}

// Opens a WebSocket, runs steps that use it, and closes it. If it cannot be opened or ends early, the
// other steps are skipped.
async function withSocket(url, protocols, socketParams, steps, heartbeat) {
  const socket = new WebSocket(url, protocols, socketParams);
  socket.binaryType = "arraybuffer";
  const messages = [];
  let [isOpen, isClosed, isClosing] = [false, false, false];
  let notify = () => {};
  socket.onopen = () => notify(isOpen = true);
  socket.onclose = () => notify(isClosed = true);
  socket.onerror = ({ error }) => {
    if (!isClosing) console.warn(`WebSocket: ${error}`);
    notify(isClosed = true);
  };
  socket.onmessage = ({ data }) => {
    if (data === heartbeat?.receive) socket.send(heartbeat.send);
    else notify(messages.push(data));
  };

  // Waits for an event of the WebSocket until a time. Returns true if none arrived by then.
  const change = (end) =>
    new Promise((resolve) => {
      const timer = setTimeout(() => resolve(true), Math.max(0, end - Date.now()));
      notify = () => {
        clearTimeout(timer);
        resolve(false);
      };
    });
  const requireOpen = () => {
    if (isClosed) throw new Error("the WebSocket is closed");
  };
  const connection = {
    send(message) {
      requireOpen();
      socket.send(message);
    },
    // Returns the first message that meets the condition, in the form of a response.
    async expect(condition, seconds) {
      for (const end = Date.now() + seconds * 1000;;) {
        while (messages.length > 0) {
          const message = messageResponse(messages.shift());
          if (condition(message)) return message;
        }
        requireOpen();
        if (await change(end)) return noResponse();
      }
    },
    async wait(seconds) {
      for (const end = Date.now() + seconds * 1000; Date.now() < end;) {
        requireOpen();
        await change(end);
      }
    },
    async close(code, reason) {
      isClosing = true;
      if (!isClosed) socket.close(code, reason);
      for (const end = Date.now() + 1000; !isClosed && Date.now() < end;) await change(end);
    },
  };
  const end = Date.now() + 30000;
  while (!isOpen && !isClosed && !(await change(end)));
  if (!isOpen || isClosed) return;
  try {
    await steps(connection);
    await connection.close(1000, "");
  } catch (error) {
    if (!isClosed) throw error;
  }
}

// Returns a message in the form of a response, so that the same conditions can test it.
function messageResponse(data) {
  const body = typeof data === "string" ? data : b64decode(b64encode(data), "std", "s");
  const json = (path) => {
    const [plain, modifier] = path.split("|");
    let value = JSON.parse(body);
    for (const key of plain === "@this" ? [] : plain.split(".")) value = value?.[key];
    return modifier === undefined ? value : JSON.stringify(value);
  };
  return { ...noResponse(), status: 101, body, json };
}
