import type { Helper } from "./helper.ts";

/** Functions that compute values in the same way as expressions in a plan. */
export const VALUE_HELPERS = {
  text: {
    source: `// Returns a value as text: maps, lists and null as JSON.
function text(value) {
  return typeof value === 'string' ? value : JSON.stringify(value);
}`,
  },
  attempt: {
    source: `// Returns the value of an expression, or undefined if it cannot be evaluated.
function attempt(variables, evaluate) {
  if (variables.includes(undefined)) return undefined;
  try {
    return evaluate();
  } catch (_error) {
    return undefined;
  }
}`,
  },
  need: {
    source:
      `// Returns the value of an expression. Throws an error if one of its variables has no value.
function need(variables, evaluate) {
  if (!variables.includes(undefined)) return evaluate();
  throw new Error('a variable has no value');
}`,
  },
  number: {
    source: `// Returns a value as a number. Throws an error if it is not one.
function number(value) {
  const isNumber = typeof value === 'number' || /^\\s*-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?\\s*$/.test(value);
  if (isNumber) return Number(value);
  throw new Error(\`not a number: \${value}\`);
}`,
  },
  finite: {
    source: `// Returns a number. Throws an error if it is infinite or not a number.
function finite(value) {
  if (Number.isFinite(value)) return value;
  throw new Error('division by 0');
}`,
  },
  numeric: {
    source: `// Returns a value as a number, or NaN if it is not one.
function numeric(value) {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : NaN;
}`,
  },
  truthy: {
    source:
      `// Reports whether a value counts as true: not null, false, 0, empty, or the text 'false'.
function truthy(value) {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value) && value !== 'false';
}`,
  },
  equal: {
    source: `// Reports whether two values are equal. A number equals text that is the same number.
function equal(a, b) {
  if (typeof a === 'number' && typeof b === 'string') return numeric(b) === a;
  if (typeof a === 'string' && typeof b === 'number') return numeric(a) === b;
  return same(a, b);
}`,
    uses: ["numeric", "same"],
  },
  same: {
    source:
      `// Reports whether two JSON values are equal, regardless of the order of the members of maps.
function same(a, b) {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  const keys = Object.keys(a);
  return Array.isArray(a) === Array.isArray(b) && keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]));
}`,
  },
  compare: {
    source: `// Compares two values: as numbers if both are numbers, otherwise as texts.
function compare(a, b) {
  const [x, y] = [numeric(a), numeric(b)];
  if (!Number.isNaN(x) && !Number.isNaN(y)) return x - y;
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0;
  throw new Error('cannot compare these values');
}`,
    uses: ["numeric"],
  },
  add: {
    source: `// Adds two numbers, or joins two texts.
function add(a, b) {
  return typeof a === 'number' && typeof b === 'number' ? a + b : text(a) + text(b);
}`,
    uses: ["text"],
  },
  listIn: {
    source: `// Returns a list, or an empty list for any other value.
function listIn(value) {
  return Array.isArray(value) ? value : [];
}`,
  },
  filledList: {
    source: `// Returns a list. Throws an error for an empty list and for any other value.
function filledList(value) {
  if (Array.isArray(value) && value.length > 0) return value;
  throw new Error('not a list with items');
}`,
  },
  memberOf: {
    source:
      `// Returns a member of a map or an item of a list. Throws an error if it does not exist.
function memberOf(value, key) {
  const isList = Array.isArray(value);
  const name = isList && key < 0 ? value.length + key : key;
  const isMember = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  if (isMember && (!isList || typeof key === 'number')) return value[name];
  throw new Error(\`no member \${key}\`);
}`,
  },
  lengthOf: {
    source: `// Returns the length of a text or a list.
function lengthOf(value) {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  throw new Error('neither a text nor a list');
}`,
  },
  hex: {
    source: `// Returns the UTF-8 bytes of a text as hexadecimal digits.
function hex(value) {
  const bytes = new Uint8Array(b64decode(b64encode(value)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}`,
    imports: [["k6/encoding", "b64decode"], ["k6/encoding", "b64encode"]],
  },
  decodeJwt: {
    source: `// Returns the claims of a JSON Web Token (part 1), or its header (part 0).
function decodeJwt(token, part) {
  return JSON.parse(b64decode(token.split('.')[part], 'rawurl', 's'));
}`,
    imports: [["k6/encoding", "b64decode"]],
  },
  formatDate: {
    source: `// Formats a time in UTC: yyyy, MM, dd, HH, mm, ss, SSS, and text in single quotes.
function formatDate(pattern, time) {
  const [date, clock] = time.toISOString().split('T');
  const [[yyyy, MM, dd], [HH, mm, ss, SSS]] = [date.split('-'), clock.slice(0, -1).split(/[:.]/)];
  const fields = { yyyy, MM, dd, HH, mm, ss, SSS };
  return pattern.replace(/'([^']*)'|([A-Za-z])\\2*/g, (found, quoted) =>
    quoted === undefined ? fields[found] : quoted || "'");
}`,
  },
  randomInt: {
    source: `// Returns a random whole number from min to max, both included.
function randomInt(min, max) {
  return min + Math.floor(Math.random() * (max - min + 1));
}`,
  },
  randomText: {
    source: `// Returns random text that consists of the given characters.
function randomText(length, characters) {
  return Array.from({ length }, () => characters[Math.floor(Math.random() * characters.length)]).join('');
}`,
  },
  uniqueText: {
    source: `// Returns letters and digits that are new in each iteration.
function uniqueText() {
  const letters = 'abcdefghijklmnopqrstuvwxyz';
  return randomText(1, letters) + randomText(1, '0123456789') + randomText(8, \`\${letters}0123456789\`);
}`,
    uses: ["randomText"],
  },
} as const satisfies Readonly<Record<string, Helper>>;
