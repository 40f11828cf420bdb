import type { Helper } from "./helper.ts";

/** Functions that build requests. */
export const REQUEST_HELPERS = {
  isSet: {
    source: `// Reports whether all values are known.
function isSet(...values) {
  return values.every((value) => value !== undefined);
}`,
  },
  canSend: {
    source: `// Reports whether all variables of a request have a value. Otherwise, it is not sent.
function canSend(name, ...values) {
  if (!values.includes(undefined)) return true;
  console.warn(\`not sent, because a variable has no value: \${name}\`);
  return false;
}`,
  },
  canSendOrFail: {
    source:
      `// Reports whether all variables of a request have a value. Otherwise, it fails without being sent.
function canSendOrFail(name, ...values) {
  if (!values.includes(undefined)) return true;
  console.warn(\`not sent, because a variable has no value: \${name}\`);
  requestFailed.add(true, { name });
  return false;
}`,
  },
  noResponse: {
    source: `// Response of a request that was not sent.
function noResponse() {
  return { status: 0, body: null, headers: {}, cookies: {}, timings: { duration: 0 } };
}`,
  },
  wellFormed: {
    source:
      `// Replaces lone surrogates, which cannot be encoded. k6 has no String.prototype.toWellFormed.
function wellFormed(text) {
  const isLone = (c) => c.length === 1 && c >= '\\uD800' && c <= '\\uDFFF';
  return Array.from(text, (c) => (isLone(c) ? '\\uFFFD' : c)).join('');
}`,
  },
  encodeUrl: {
    source:
      `// Percent-encodes the characters of a URL that cannot be sent. Keeps what is already encoded.
function encodeUrl(url) {
  const [, path, query] = wellFormed(url).match(/^([^?#]*)([^#]*)/);
  return path.replace(/[^!$-;=?-_a-~]|%(?![0-9A-Fa-f]{2})/gu, encodeURIComponent) +
    query.replace(/[^!$-;=?-~]/gu, encodeURIComponent);
}`,
    uses: ["wellFormed"],
  },
  socketUrl: {
    source: `// Returns a URL with the scheme of a WebSocket.
function socketUrl(url) {
  return url.replace(/^http/i, 'ws');
}`,
  },
  resolveUrl: {
    source: `// Returns a URL that starts with a scheme unchanged, and any other after the base URL.
function resolveUrl(url) {
  return /^[a-z][a-z0-9+.-]*:\\/\\//i.test(url) ? url : \`\${BASE_URL}/\${url.replace(/^\\//, '')}\`;
}`,
  },
  form: {
    source: `// Encodes the fields of a form in their order. k6 itself would sort them.
function form(fields) {
  const encode = (value) => encodeURIComponent(wellFormed(String(value)))
    .replace(/%20/g, '+')
    .replace(/[!'()~]/g, (c) => \`%\${c.charCodeAt(0).toString(16).toUpperCase()}\`);
  return fields.map(([name, value]) => \`\${encode(name)}=\${encode(value)}\`).join('&');
}`,
    uses: ["wellFormed"],
  },
  multipart: {
    source: `// Encodes the parts of a multipart/form-data body. Content is text or an ArrayBuffer.
function multipart(parts) {
  const escape = (text) => text.replace(/\\r/g, '%0D').replace(/\\n/g, '%0A').replace(/"/g, '%22');
  const chunks = parts.flatMap(({ name, content, filename, type }) => {
    const file = filename === undefined ? '' : \`; filename="\${escape(filename)}"\`;
    const contentType = type || (filename === undefined ? undefined : 'application/octet-stream');
    const head = \`Content-Disposition: form-data; name="\${escape(name)}"\${file}\\r\\n\` +
      (contentType === undefined ? '' : \`Content-Type: \${contentType}\\r\\n\`);
    return [\`--\${BOUNDARY}\\r\\n\${head}\\r\\n\`, content, '\\r\\n'];
  });
  const bytes = [...chunks, \`--\${BOUNDARY}--\\r\\n\`]
    .map((chunk) => new Uint8Array(typeof chunk === 'string' ? b64decode(b64encode(chunk)) : chunk));
  const body = new Uint8Array(bytes.reduce((size, { length }) => size + length, 0));
  let at = 0;
  for (const chunk of bytes) {
    body.set(chunk, at);
    at += chunk.length;
  }
  return body.buffer;
}`,
    imports: [["k6/encoding", "b64decode"], ["k6/encoding", "b64encode"]],
  },
  env: {
    source: `// Returns an environment variable, which must be set.
function env(name) {
  if (__ENV[name] !== undefined) return __ENV[name];
  throw new Error(\`set the variable: k6 run -e \${name}=VALUE\`);
}`,
  },
  choose: {
    source: `// Returns a random index. Its probability is proportional to the weight at this index.
function choose(weights) {
  let left = Math.random() * weights.reduce((sum, weight) => sum + weight, 0);
  return weights.findIndex((weight) => (left -= weight) < 0);
}`,
  },
  shuffled: {
    source: `// Shuffles a list.
function shuffled(list) {
  for (let i = list.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [list[i], list[j]] = [list[j], list[i]];
  }
  return list;
}`,
  },
  parseCsv: {
    source: `// Parses CSV text. Returns a map from column names to values for each row.
function parseCsv(text, delimiter, hasHeader) {
  const rows = [[]];
  const field = new RegExp(\`(?:"((?:[^"]|"")*)"|([^\${delimiter}\\\\r\\\\n]*))(\${delimiter}|\\\\r?\\\\n|$)\`, 'y');
  const source = text.replace(/^\\uFEFF/, '').replace(/\\r?\\n$/, '');
  for (let end = ''; field.lastIndex <= source.length; ) {
    const match = field.exec(source);
    if (match === null) throw new Error('the CSV file has an invalid field');
    const [, quoted, plain] = match;
    rows[rows.length - 1].push(quoted === undefined ? plain : quoted.replace(/""/g, '"'));
    end = match[3];
    if (end === '') break;
    if (/\\n/.test(end)) rows.push([]);
  }
  const columns = hasHeader ? rows.shift() : rows[0].map((_value, i) => String(i));
  return rows
    .filter((row) => row.length > 1 || row[0] !== '')
    .map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i]])));
}`,
  },
  keepPace: {
    source: `// Waits until the VU may start its next iteration.
const nextStarts = {};
function keepPace(scenario, seconds) {
  sleep(Math.max(0, (nextStarts[scenario] || 0) - Date.now()) / 1000);
  nextStarts[scenario] = Date.now() + seconds * 1000;
}`,
    imports: [["k6", "sleep"]],
  },
  inParallel: {
    source: `// Runs functions at the same time, at most \`max\` of them.
async function inParallel(max, branches) {
  const waiting = branches.values();
  const work = async () => {
    for (const branch of waiting) await branch();
  };
  await Promise.all(Array.from({ length: Math.min(max, branches.length) }, work));
}`,
  },
  pause: {
    source: `// Pauses without blocking the other branches.
function pause(seconds) {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}`,
  },
  gaussian: {
    source: `// Returns a random number from a normal distribution, at least 0.
function gaussian(mean, deviation) {
  const random = Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
  return Math.max(0, mean + deviation * random);
}`,
  },
} as const satisfies Readonly<Record<string, Helper>>;
