// Functions of exported k6 scripts. A script contains only those that it calls. Not in this list:
// `http`, `exec` and what a script imports, which `scope.ts` names.
// deno-lint-ignore-file no-unused-vars

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

// Returns a URL that starts with a scheme unchanged, and any other after the base URL.
function resolveUrl(url) {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? url : `${BASE_URL}/${url.replace(/^\//, "")}`;
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

// Returns the recorded visit at this time of the schedule. Neighbors take turns, so that copies of a
// visit do not start together.
function visitNow(visits) {
  const nearest = Math.floor(exec.scenario.progress * visits.length) % visits.length;
  const first = nearest - nearest % 32;
  return visits[first + exec.scenario.iterationInTest % Math.min(32, visits.length - first)];
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
