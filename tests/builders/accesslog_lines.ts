import fc from "fast-check";

/** Characters that delimit the parts of a log line or have a special meaning in them. */
const DELIMITERS = new TextEncoder().encode('\n "[]\\/${?');

/** Generates bytes as a string with one character per byte. */
const bytes = (options: { maxLength: number }) =>
  fc.uint8Array(options).map((array) => String.fromCharCode(...array));

const piece = fc.oneof(
  fc.constantFrom(
    "a",
    "orders",
    "17",
    "0",
    "deadbeefdeadbeef",
    "DEADBEEFDEADBEE",
    "cafe-1",
    "x.png",
    "${",
    "$${",
    "$",
    "{",
    "${vars.id}",
    "%20",
    "%2f",
    "%7e",
    "%41",
    "%31%37",
    "%e2%9C%93",
    "%zz",
    "%2",
    "%",
    "%%41",
    ";",
    ";v=1",
    ";jsessionid=A1B2",
    "17;JSESSIONID=0;v=1",
    ";jsessionid",
    "\\x3bjsessionid=a",
    "#part",
    "17#part",
    "\\x23",
    "\\x22",
    '\\"',
    "\\\\",
    "\\",
    "\\x",
    "\\xzz",
    "\\xc3\\xa9",
    "\\n",
    "\\q",
    "\xc3\xa9",
    "\xed\xa0\x80",
    "\xff",
    "\xf4\x90\x80\x80",
    "\xf0\x9f\x98\x80",
    "\0",
    "\x1b[2J",
    " ",
    "\t",
    "\r",
    "\u0085",
    "?",
    "#",
    ":",
    "//",
    "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    "3f2504e0-4f89-41d3-9a0c-0305e82c330",
    "3f2504e04f89-41d3-9a0c-0305e82c33011--",
    "-",
  ),
  bytes({ maxLength: 4 }),
  fc.stringMatching(/^[a-z0-9]{1,9}$/),
);
const path = fc.array(fc.tuple(fc.constantFrom("/", "/", "/", ""), piece), { maxLength: 6 })
  .map((parts) => parts.flat().join(""));
const target = fc.oneof(
  { weight: 8, arbitrary: path.map((text) => `/${text}`) },
  { weight: 1, arbitrary: path },
  {
    weight: 2,
    arbitrary: fc.tuple(
      fc.constantFrom("http://h", "https://[::1]:8", "h2c+x://", "1http://h", "x:/h", "a:"),
      path,
    )
      .map(([origin, text]) => origin + text),
  },
  { weight: 1, arbitrary: fc.constantFrom("*", "*?", "**", "", "/") },
);
const method = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom("GET", "GET", "POST", "PUT", "OPTIONS", "M-SEARCH", "X_1"),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "CONNECT",
      "CONNECTX",
      "PRI",
      "PRIX",
      "get",
      "1GET",
      "",
      "A".repeat(32),
      "A".repeat(33),
      "\\x16\\x03",
    ),
  },
);
const version = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(" HTTP/1.1", " HTTP/1.0", " HTTP/2", " HTTP/2.0") },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "",
      " HTTP/1.1 ",
      " HTTP/",
      " HTTP/11",
      " HTTP/1.x",
      " http/1.1",
      "HTTP/1.1",
      " HTTP/1.1 HTTP/1.0",
    ),
  },
);
const request = fc.oneof(
  { weight: 12, arbitrary: fc.tuple(method, target, version).map(([m, t, v]) => `${m} ${t}${v}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("-", "", " ", "GET", "GET ", "GET  HTTP/1.1", "GET /", "/ HTTP/1.1"),
  },
  { weight: 1, arbitrary: bytes({ maxLength: 12 }) },
);
const two = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 1, max: 12 }) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 99 }) },
).map((number) => String(number).padStart(2, "0"));
const stamp = fc.oneof(
  { weight: 6, arbitrary: two.map((second) => `02/Mar/2026:10:00:${second} +0000`) },
  {
    weight: 3,
    arbitrary: fc.tuple(
      two,
      fc.constantFrom("Jan", "Feb", "Feb", "Mar", "Dec", "jan", "anF"),
      fc.constantFrom("2026", "2024", "2000", "2100", "1970", "1969", "0070", "9999", "0000"),
      two,
      two,
      two,
      fc.constantFrom(
        "+0000",
        "-0000",
        "+0530",
        "-0800",
        "+1400",
        "+1500",
        "+0060",
        "0000",
        "Z",
        " 0000",
      ),
    ).map(([d, mon, y, h, m, s, zone]) => `${d}/${mon}/${y}:${h}:${m}:${s} ${zone}`),
  },
  { weight: 1, arbitrary: bytes({ maxLength: 27 }) },
);
const prefix = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      "1.2.3.4 - -",
      "::1 - jo doe",
      "shop.example:80 1.2.3.4 - -",
      '"1.2.3.4 - -',
      "-",
      "",
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "x [02/Mar/2026:10:00:00 +0000]",
      "x [31/Feb/2026:10:00:00 +0000]",
      "[",
      "[ [",
      "x [02/Mar/2026",
    ),
  },
  { weight: 1, arbitrary: bytes({ maxLength: 9 }) },
);
const rest = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      " 200 123",
      ' 200 123 "-" "curl/8.5.0"',
      ' 304 - "-" "Mozilla/5.0 (X11; Linux)" 0.003 rt=1',
      ' 200 1""',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "",
      " ",
      " 20 1",
      " 200",
      " 200 ",
      " 200 x",
      "200 1",
      " 2000 1",
      " -",
    ),
  },
);
const wellFormed = fc.tuple(prefix, stamp, fc.constantFrom(" ", " ", " ", "", "  "), request, rest)
  .map(([before, time, gap, text, after]) => `${before} [${time}]${gap}"${text}"${after}`);

/** Generates well-formed lines, and lines with one byte changed, removed or inserted. */
const line = fc.oneof(
  { weight: 6, arbitrary: wellFormed },
  {
    weight: 2,
    arbitrary: fc.tuple(
      wellFormed,
      fc.nat(),
      fc.nat({ max: 1 }),
      fc.oneof(bytes({ maxLength: 1 }), fc.constantFrom('"', "\\", " ", "[", "\n")),
    )
      .map(([text, at, gone, put]) => {
        const i = at % (text.length + 1);
        return text.slice(0, i) + put + text.slice(i + gone);
      }),
  },
  {
    weight: 1,
    arbitrary: fc.oneof(fc.constantFrom("", "\r", " \t ", "\n\n"), bytes({ maxLength: 40 })),
  },
);

/** Generates logs of a few well-formed and malformed lines, as bytes. */
export const logArbitrary: fc.Arbitrary<Uint8Array> = fc
  .tuple(
    fc.array(fc.tuple(line, fc.constantFrom("\n", "\n", "\r\n")), { maxLength: 12 }),
    fc.boolean(),
  )
  .map(([lines, isUnterminated]) => {
    const text = lines.flat().join("");
    return Uint8Array.from(isUnterminated ? text.slice(0, -1) : text, (char) => char.charCodeAt(0));
  });

/** Generates random bytes with many line ends, quotation marks and brackets. */
export const noiseArbitrary: fc.Arbitrary<Uint8Array> = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(...DELIMITERS)), {
    maxLength: 400,
  })
  .map((array) => Uint8Array.from(array));
