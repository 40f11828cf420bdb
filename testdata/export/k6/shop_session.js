// k6 script of recorded session of 127.0.0.1:8080, exported from shop_session.yaml by rehearse VERSION.
// Imported from a HAR by rehearse convert: 11 requests over 0 s to 1 origin.

import http from "k6/http";

export const options = {
  scenarios: {
    recorded: { executor: "per-vu-iterations", vus: 1, iterations: 1, exec: "recorded" },
  },
  maxRedirects: 0,
};

// Target of relative URLs; replace it with `k6 run -e BASE_URL=URL`.
const BASE_URL = __ENV.BASE_URL || "http://127.0.0.1:8080";

// Headers and timeout of every request.
const HEADERS = {
  "Accept-Encoding": "gzip, deflate, br, zstd",
  accept: "*/*",
  "user-agent": "Mozilla/5.0 (demo)",
};
const TIMEOUT = "30s";

export function recorded() {
  let res, csrf_token, id, ticket, code;

  res = http.get(`${BASE_URL}/login`, params("GET /login"));
  csrf_token = extract(
    () => res.html().find("meta[name=\"csrf-token\"]").filter("[content]").attr("content"),
  );

  if (canSend("POST /login", csrf_token)) {
    http.post(
      `${BASE_URL}/login`,
      form([["csrf_token", csrf_token], ["username", "ada"], ["password", "rehearsal"]]),
      params(
        "POST /login",
        { headers: { "content-type": "application/x-www-form-urlencoded" } },
      ),
    );
  }

  res = http.get(`${BASE_URL}/account`, params("GET /account"));
  csrf_token = extract(
    () => res.html().find("meta[name=\"csrf-token\"]").filter("[content]").attr("content"),
  );

  res = http.get(
    `${BASE_URL}/api/products`,
    params("GET /api/products", { headers: { accept: "application/json" } }),
  );
  id = extract(
    () => query(res, ["items", (item) => item?.name === "Oak blanket", "id"])[0],
  );

  if (canSend("GET /products/${id}", id)) {
    http.get(encodeUrl(`${BASE_URL}/products/${id}`), params("GET /products/${id}"));
  }

  if (canSend("POST /cart", csrf_token, id)) {
    http.post(
      `${BASE_URL}/cart`,
      form([["csrf_token", csrf_token], ["product_id", id], ["quantity", "2"]]),
      params(
        "POST /cart",
        { headers: { "content-type": "application/x-www-form-urlencoded" } },
      ),
    );
  }

  http.get(`${BASE_URL}/cart`, params("GET /cart"));

  res = http.get(`${BASE_URL}/oauth/authorize`, params("GET /oauth/authorize"));
  ticket = extract(() => res.headers.Location?.match(/[?&#]ticket=([^&#]*)/)?.[1]);

  if (canSend("GET /oauth/consent", ticket)) {
    res = http.get(
      encodeUrl(`${BASE_URL}/oauth/consent?ticket=${ticket}`),
      params("GET /oauth/consent"),
    );
    code = extract(() => res.headers.Location?.match(/[?&#]code=([^&#]*)/)?.[1]);
  }

  if (canSend("GET /oauth/callback", code)) {
    http.get(
      encodeUrl(`${BASE_URL}/oauth/callback?code=${code}`),
      params("GET /oauth/callback"),
    );
  }

  http.get(`${BASE_URL}/account`, params("GET /account"));
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

// Makes a list or map JSON when it becomes part of a string.
function withText(value, source = JSON.stringify(value)) {
  if (typeof value !== "object" || value === null) return value;
  return Object.defineProperty(value, "toString", { value: () => source, configurable: true });
}
