import type { Helper } from "./helper.ts";

/** Functions that read values from responses. */
export const RESPONSE_HELPERS = {
  extract: {
    source:
      `// Returns the value that \`find\` finds in a response. If it finds none, returns the fallback.
function extract(find, { transform, fallback } = {}) {
  try {
    const found = find();
    if (found === undefined) return fallback;
    if (transform === undefined) return found;
    return Array.isArray(found) ? found.map(transform) : transform(found);
  } catch (_error) {
    return undefined; // There is no body, or it has another format.
  }
}`,
  },
  json: {
    source:
      `// Returns the value at a GJSON path of a response, or undefined. A number that JavaScript would round
// stays text. Maps and lists are JSON when they become part of a string.
function json(res, path) {
  if (!res.body) return undefined;
  const value = res.json(path);
  if (typeof value !== 'number' && (typeof value !== 'object' || value === null)) return value;
  const source = res.json(\`\${path}|@tostr\`);
  if (typeof value === 'number') return String(value) === source ? value : source;
  return Object.defineProperty(JSON.parse(source), 'toString', { value: () => source });
}`,
  },
  query: {
    source:
      `// Returns the values that the steps select in a JSON response. A step is a member, an index, a
// condition on the items of a list or map, \`within\`, which selects all nested lists and maps, the
// bounds of a slice, or a list of such steps, of which each one selects.
const within = Symbol('within');
function query(res, steps) {
  let root;
  try {
    root = JSON.parse(res.payload ?? res.body);
  } catch (_error) {
    return [];
  }
  let found = [root];
  for (const step of steps) found = found.flatMap((value) => select(value, step, root));
  return found.map(withText);
}

// Makes a list or map JSON when it becomes part of a string.
function withText(value) {
  if (typeof value !== 'object' || value === null) return value;
  return Object.defineProperty(value, 'toString', { value: () => JSON.stringify(value), configurable: true });
}

function select(value, step, root) {
  if (typeof value !== 'object' || value === null) return [];
  if (step === within) return [value, ...Object.values(value).flatMap((item) => select(item, within, root))];
  if (Array.isArray(step)) return step.flatMap((one) => select(value, one, root));
  if (typeof step === 'object') return Array.isArray(value) ? slice(value, step) : [];
  if (typeof step === 'function') return Object.values(value).filter((item) => step(item, root));
  if (typeof step === 'string' && Array.isArray(value)) return [];
  if (typeof step === 'number' && !Array.isArray(value)) return [];
  const key = step < 0 ? value.length + step : step;
  return Object.hasOwn(value, key) ? [value[key]] : [];
}

function slice(list, { start, stop, step = 1 }) {
  const [least, most] = step < 0 ? [-1, list.length - 1] : [0, list.length];
  const [first, last] = step < 0 ? [most, least] : [least, most];
  const bound = (at) => Math.min(Math.max(at < 0 ? list.length + at : at, least), most);
  const to = stop === undefined ? last : bound(stop);
  const found = [];
  let at = start === undefined ? first : bound(start);
  for (; step !== 0 && (step < 0 ? at > to : at < to); at += step) found.push(list[at]);
  return found;
}`,
  },
  itemOf: {
    source: `// Returns an item of a list, or undefined for any other value.
function itemOf(value, index) {
  return Array.isArray(value) ? value[index] : undefined;
}`,
  },
  isBelow: {
    source:
      `// Reports whether a is below b in a JSONPath filter, which compares only two numbers or two texts.
function isBelow(a, b) {
  return typeof a === typeof b && (typeof a === 'number' || typeof a === 'string') && a < b;
}`,
  },
  sizeOf: {
    source: `// Returns the number of characters, items or members of a JSON value, or undefined.
function sizeOf(value) {
  if (typeof value === 'string') return [...value].length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : undefined;
}`,
  },
  elements: {
    source: `// Returns the elements of a page that a CSS selector matches.
function elements(res, selector) {
  return res.body ? res.html().find(selector).toArray() : [];
}`,
  },
  matches: {
    source:
      `// Returns a capture group of each match of a regular expression (with the flag g) in the body.
function matches(res, pattern, group) {
  return [...(res.body || '').matchAll(pattern)]
    .map((match) => match[group])
    .filter((text) => text !== undefined);
}`,
  },
  between: {
    source: `// Returns each text between two delimiters in the body.
function between(res, left, right) {
  const body = res.body || '';
  const found = [];
  for (let at = body.indexOf(left); at >= 0; ) {
    const from = at + left.length;
    const to = right === '' ? body.length : body.indexOf(right, from);
    if (to < 0) break;
    found.push(body.slice(from, to));
    const next = body.indexOf(left, Math.max(to + right.length, at + 1));
    at = next > at ? next : -1;
  }
  return found;
}`,
  },
  cookieValues: {
    source:
      `// Returns the values of a cookie that the response sets, or else the value in the cookie jar.
function cookieValues(res, name) {
  const set = res.cookies[name] || [];
  if (set.length > 0) return set.map(({ value }) => value);
  return http.cookieJar().cookiesForURL(res.url)[name] || [];
}`,
    imports: [["k6/http", "default"]],
  },
  bodySize: {
    source: `// Returns the size of the body in bytes, before decompression if the server states it.
function bodySize(res) {
  const stated = Number(res.headers['Content-Length']);
  return stated >= 0 ? stated : encodeURIComponent(res.body || '').replace(/%../g, '.').length;
}`,
  },
  occurrences: {
    source: `// Returns how often a text occurs in the body.
function occurrences(res, text) {
  return text === '' ? 0 : (res.body || '').split(text).length - 1;
}`,
  },
  nonEmpty: {
    source: `// Returns a list, or undefined if it is empty.
function nonEmpty(list) {
  return list.length > 0 ? list : undefined;
}`,
  },
  randomItem: {
    source: `// Returns a random item of a list.
function randomItem(list) {
  return list[Math.floor(Math.random() * list.length)];
}`,
  },
  decodeHtml: {
    source: `// Decodes the character references in a text.
function decodeHtml(text) {
  return parseHTML(\`<i>\${text.replace(/</g, '&lt;')}</i>\`).text();
}`,
    imports: [["k6/html", "parseHTML"]],
  },
  decodeEscapes: {
    source: `// Decodes the escape sequences of a JSON or JavaScript string.
function decodeEscapes(text) {
  const names = { b: '\\b', f: '\\f', n: '\\n', r: '\\r', t: '\\t', v: '\\v', 0: '\\0' };
  return text.replace(/\\\\(?:u\\{(\\w+)\\}|u(\\w{4})|x(\\w{2})|([^]))/g, (_all, point, unit, byte, other) => {
    const code = point || unit || byte;
    return code ? String.fromCodePoint(parseInt(code, 16)) : names[other] || other;
  });
}`,
  },
  pathAndQuery: {
    source: `// Returns the path and query of a URL.
function pathAndQuery(url) {
  const [reference] = url.trim().split('#');
  const [origin] = /^(?:[a-z][a-z0-9+.-]*:)?\\/\\/[^/?#\\\\]*/i.exec(reference) || [];
  if (origin === undefined) return reference;
  const rest = reference.slice(origin.length);
  return rest.startsWith('/') ? rest : \`/\${rest}\`;
}`,
  },
  jsonNumber: {
    source: `// Converts text to a number. Throws an error if it is not one.
function jsonNumber(text) {
  if (/^-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?$/.test(text.trim())) return Number(text);
  throw new Error('not a number');
}`,
  },
} as const satisfies Readonly<Record<string, Helper>>;
