// k6 script of recorded session of 127.0.0.1:8080, exported from shop_session.yaml by rehearse VERSION.
// Imported from a HAR by rehearse convert: 11 requests over 0 s to 1 origin.
//
// What k6 does differently from the plan:
// - $.items[?@.name=='Oak blanket'].id: numbers in the response are read as doubles, so digits beyond 2^53 and trailing zeros are lost [k6-numbers]

import http from 'k6/http';

export const options = {
  scenarios: {
    recorded: { executor: 'per-vu-iterations', vus: 1, iterations: 1, exec: 'recorded' },
  },
  maxRedirects: 0,
};

// Target of relative URLs; replace it with `k6 run -e BASE_URL=URL`.
const BASE_URL = __ENV.BASE_URL || 'http://127.0.0.1:8080';

// Headers of every request.
const HEADERS = {
  'Accept-Encoding': 'gzip, deflate, br, zstd',
  accept: '*/*',
  'user-agent': 'Mozilla/5.0 (demo)',
};

export function recorded() {
  let res, csrf_token, id, ticket, code;

  res = http.get(`${BASE_URL}/login`, params('GET /login'));
  csrf_token = extract(
    () => res.html().find('meta[name="csrf-token"]').filter('[content]').attr('content'),
  );

  if (canSend('POST /login', csrf_token)) {
    http.post(
      `${BASE_URL}/login`,
      form([
        ['csrf_token', csrf_token],
        ['username', 'ada'],
        ['password', 'rehearsal'],
      ]),
      params('POST /login', {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
    );
  }

  res = http.get(`${BASE_URL}/account`, params('GET /account'));
  csrf_token = extract(
    () => res.html().find('meta[name="csrf-token"]').filter('[content]').attr('content'),
  );

  res = http.get(
    `${BASE_URL}/api/products`,
    params('GET /api/products', { headers: { accept: 'application/json' } }),
  );
  id = extract(
    () => query(res, ['items', (item) => item?.name === 'Oak blanket', 'id'])[0],
  );

  if (canSend('GET /products/${id}', id)) {
    http.get(encodeUrl(`${BASE_URL}/products/${id}`), params('GET /products/${id}'));
  }

  if (canSend('POST /cart', csrf_token, id)) {
    http.post(
      `${BASE_URL}/cart`,
      form([['csrf_token', csrf_token], ['product_id', id], ['quantity', '2']]),
      params('POST /cart', {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
    );
  }

  http.get(`${BASE_URL}/cart`, params('GET /cart'));

  res = http.get(`${BASE_URL}/oauth/authorize`, params('GET /oauth/authorize'));
  ticket = extract(() => res.headers.Location?.match(/[?&#]ticket=([^&#]*)/)?.[1]);

  if (canSend('GET /oauth/consent', ticket)) {
    res = http.get(
      encodeUrl(`${BASE_URL}/oauth/consent?ticket=${ticket}`),
      params('GET /oauth/consent'),
    );
    code = extract(() => res.headers.Location?.match(/[?&#]code=([^&#]*)/)?.[1]);
  }

  if (canSend('GET /oauth/callback', code)) {
    http.get(
      encodeUrl(`${BASE_URL}/oauth/callback?code=${code}`),
      params('GET /oauth/callback'),
    );
  }

  http.get(`${BASE_URL}/account`, params('GET /account'));
}

// Returns the parameters of a request: its name in metrics, and what differs from the defaults.
// A header that is null is not sent.
function params(name, { headers, tags, ...more } = {}) {
  const all = Object.entries({ ...HEADERS, ...headers });
  return {
    timeout: '30s',
    ...more,
    headers: Object.fromEntries(all.filter(([, value]) => value !== null)),
    tags: { ...tags, name },
  };
}

// Reports whether all variables of a request have a value. Otherwise, it is not sent.
function canSend(name, ...values) {
  if (!values.includes(undefined)) return true;
  console.warn(`not sent, because a variable has no value: ${name}`);
  return false;
}

// Replaces lone surrogates, which cannot be encoded. k6 has no String.prototype.toWellFormed.
function wellFormed(text) {
  const isLone = (c) => c.length === 1 && c >= '\uD800' && c <= '\uDFFF';
  return Array.from(text, (c) => (isLone(c) ? '\uFFFD' : c)).join('');
}

// Percent-encodes the characters of a URL that cannot be sent. Keeps what is already encoded.
function encodeUrl(url) {
  const [, path, query] = wellFormed(url).match(/^([^?#]*)([^#]*)/);
  return path.replace(/[^!$-;=?-_a-~]|%(?![0-9A-Fa-f]{2})/gu, encodeURIComponent) +
    query.replace(/[^!$-;=?-~]/gu, encodeURIComponent);
}

// Encodes the fields of a form in their order. k6 itself would sort them.
function form(fields) {
  const encode = (value) => encodeURIComponent(wellFormed(String(value)))
    .replace(/%20/g, '+')
    .replace(/[!'()~]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  return fields.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
}

// Returns the value that `find` finds in a response. If it finds none, returns the fallback.
function extract(find, { transform, fallback } = {}) {
  try {
    const found = find();
    if (found === undefined) return fallback;
    if (transform === undefined) return found;
    return Array.isArray(found) ? found.map(transform) : transform(found);
  } catch (_error) {
    return undefined; // There is no body, or it has another format.
  }
}

// Returns the values that the steps select in a JSON response. A step is a member, an index, a
// condition on the items of a list or map, `within`, which selects all nested lists and maps, the
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
}
