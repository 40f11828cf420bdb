// k6 script of API, exported from api.yaml by rehearse VERSION.
// Users log in, look at orders, and follow events.
//
// What k6 does differently from the plan:
// - orders: foreach: scripts have no `foreach` [k6-omitted]
// - http_req_failed: k6 does not count failed extractors and assertions as failed requests [k6-changed]

import { check, fail, group, sleep } from "k6";
import { SharedArray } from "k6/data";
import { b64decode, b64encode } from "k6/encoding";
import exec from "k6/execution";
import http from "k6/http";
import { WebSocket } from "k6/websockets";

export const options = {
  scenarios: {
    orders: {
      executor: "ramping-arrival-rate",
      startRate: 5,
      timeUnit: "10s",
      stages: [{ duration: "1m", target: 25 }, { duration: "5m", target: 25 }],
      preAllocatedVUs: 10,
      maxVUs: 50,
      exec: "orders",
    },
    events: { executor: "constant-vus", vus: 5, duration: "5m", exec: "events" },
  },
  thresholds: {
    http_req_failed: ["rate<0.01"],
    "http_req_duration{name:order}": ["p(95)<400", { threshold: "p(99)<2000", abortOnFail: true, delayAbortEval: "30s" }],
    checks: ["rate>0.99"],
  },
  noCookiesReset: true,
  setupTimeout: "10m",
};

const vars = { region: (__ENV.REGION || "eu") };

const secrets = { password: env("API_PASSWORD") };

// Target of relative URLs; replace it with `k6 run -e BASE_URL=URL`.
const BASE_URL = __ENV.BASE_URL || "https://api.example";

// Headers and timeout of every request.
const HEADERS = { "Accept-Encoding": "gzip, deflate, br, zstd", Accept: "application/json" };
const TIMEOUT = "10s";

const users = new SharedArray("users", () => [{ name: "ada" }, { name: "it's" }]);

export function setup() {
  let res;
  let pauseDue = false;

  if (pauseDue) sleep(1 + Math.random() * 2);
  pauseDue = true;
  res = http.get(`${BASE_URL}/health`, params("GET /health"));
  check(res, { "status equals 200": (r) => r.status === 200 });
  if (!(res.status > 0 && res.status < 400)) {
    fail("the setup failed: GET /health");
  }
}

// A VU keeps these variables from one iteration to the next.
let token, ids;

export function orders() {
  const usersRow = users[exec.scenario.iterationInTest % users.length];
  let res;
  let pauseDue = false;

  if (pauseDue) sleep(1 + Math.random() * 2);
  pauseDue = true;
  res = http.post(
    `${BASE_URL}/login`,
    JSON.stringify(
      { user: usersRow.name, password: secrets.password, region: vars.region },
    ),
    params("log in", {
      headers: { "Content-Type": "application/json" },
      responseCallback: http.expectedStatuses(200),
    }),
  );
  token = extract(() => json(res, "token"));
  if (!(res.status === 200)) {
    fail("the assertion failed: status equals 200");
  }

  group("orders", () => {
    if (pauseDue) sleep(1 + Math.random() * 2);
    pauseDue = true;
    if (canSend("list orders", token)) {
      res = http.get(
        `${BASE_URL}/orders?limit=10&sort=date&sort=-total`,
        params("list orders", { headers: { Authorization: `Bearer ${token}` } }),
      );
      ids = extract(() => nonEmpty(query(res, ["orders", (item) => item?.open === true, "id"])));
      check(res, {
        "status equals 200": (r) => r.status === 200,
        "has orders": (r) => r.status !== 0 && query(r, ["orders", all]).length >= 1,
        fast: (r) => r.status !== 0 && r.timings.duration <= 300,
      });
    }

    // - foreach:
    //     items: ${ids}
    //     as: id
    //     steps:
    //       - request:
    //           name: order
    //           url: /orders/${id}
    //           headers:
    //             Authorization: Bearer ${token}
  });

  if ((ids?.length > 3) && (vars.region != "us")) {
    if (pauseDue) sleep(1 + Math.random() * 2);
    pauseDue = true;
    if (canSend("archive", token)) {
      http.put(
        `${BASE_URL}/archive`,
        form([
          ["before", formatDate("yyyy-MM-dd", new Date(Date.now() - 2592000000))],
          ["note", usersRow.name.toUpperCase()],
        ]),
        params("archive", {
          headers: {
            "Content-Type": "application/x-www-form-urlencoded",
            Authorization: `Bearer ${token}`,
          },
        }),
      );
    }
  }
}

export async function events() {
  const jar = new http.CookieJar();
  let res, last;
  let pauseDue = false;

  if (pauseDue) sleep(1 + Math.random() * 2);
  pauseDue = true;
  await withSocket(
    "https://api.example/events".replace(/^http/i, "ws"),
    [],
    { headers: HEADERS, tags: { name: "events" }, compression: "deflate", jar },
    async (events2) => {
      events2.send(JSON.stringify({ subscribe: "orders" }));

      res = await events2.expect((r) => r.status !== 0 && json(r, "type") === "order", 10);
      last = extract(() => json(res, "id"));
    },
  );

  if (pauseDue) sleep(1 + Math.random() * 2);
  pauseDue = true;
  if (canSend("order", last)) {
    http.get(encodeUrl(`${BASE_URL}/orders/${last}`), params("order", { jar }));
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

// Returns an environment variable, which must be set.
function env(name) {
  if (__ENV[name] !== undefined) return __ENV[name];
  throw new Error(`set the variable: k6 run -e ${name}=VALUE`);
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

// Returns a list, or undefined if it is empty.
function nonEmpty(list) {
  return list.length > 0 ? withText(list) : undefined;
}

// Makes a list or map JSON when it becomes part of a string.
function withText(value, source = JSON.stringify(value)) {
  if (typeof value !== "object" || value === null) return value;
  return Object.defineProperty(value, "toString", { value: () => source, configurable: true });
}

// Formats a time in UTC: yyyy, MM, dd, HH, mm, ss, SSS, and text in single quotes.
function formatDate(pattern, time) {
  const [date, clock] = time.toISOString().split("T");
  const [[yyyy, MM, dd], [HH, mm, ss, SSS]] = [date.split("-"), clock.slice(0, -1).split(/[:.]/)];
  const fields = { yyyy, MM, dd, HH, mm, ss, SSS };
  return pattern.replace(
    /'([^']*)'|([A-Za-z])\2*/g,
    (found, quoted) => quoted === undefined ? fields[found] : quoted || "'",
  );
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
