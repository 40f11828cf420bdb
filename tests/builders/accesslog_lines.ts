import fc, { mix, words } from "fast-check";

/** Characters that delimit the parts of a log line or have a special meaning in them. */
const DELIMITERS = new TextEncoder().encode('\n "[]\\/${?');

/** Generates bytes as a string with one character per byte. */
const bytes = (maxLength: number) =>
  fc.uint8Array({ maxLength }).map((array) => String.fromCharCode(...array));

const piece = fc.oneof(
  words("a orders 17 0 deadbeefdeadbeef DEADBEEFDEADBEE cafe-1 x.png ${ $${ $ { ${vars.id} - #"),
  words("%20 %2f %7e %41 %31%37 %e2%9C%93 %zz %2 % %%41 ; ;v=1 ;jsessionid=A1B2 ;jsessionid"),
  words('17;JSESSIONID=0;v=1 \\x3bjsessionid=a #part 17#part \\x23 \\x22 \\" \\\\ \\ \\x \\xzz'),
  words("3f2504e0-4f89-41d3-9a0c-0305e82c3301 3f2504e0-4f89-41d3-9a0c-0305e82c330 ? : //"),
  words("3f2504e04f89-41d3-9a0c-0305e82c33011-- \\xc3\\xa9 \\n \\q \xc3\xa9 \xed\xa0\x80 \xff"),
  fc.constantFrom("\xf4\x90\x80\x80", "\xf0\x9f\x98\x80", "\0", "\x1b[2J", " ", "\t", "\r", "\x85"),
  bytes(4),
  fc.stringMatching(/^[a-z0-9]{1,9}$/),
);
const path = fc.array(fc.tuple(fc.constantFrom("/", "/", "/", ""), piece), { maxLength: 6 })
  .map((parts) => parts.flat().join(""));
const origin = words("http://h https://[::1]:8 h2c+x:// 1http://h x:/h a:");
const target = mix(
  [8, path.map((text) => `/${text}`)],
  [1, path],
  [2, fc.tuple(origin, path).map(([origin, text]) => origin + text)],
  [1, fc.constantFrom("*", "*?", "**", "", "/")],
);
const method = mix(
  [8, words("GET GET POST PUT OPTIONS M-SEARCH X_1")],
  [1, fc.oneof(words("CONNECT CONNECTX PRI PRIX get 1GET \\x16\\x03"), fc.constant(""))],
  [1, fc.constantFrom("A".repeat(32), "A".repeat(33))],
);
const version = mix(
  [8, fc.constantFrom(" HTTP/1.1", " HTTP/1.0", " HTTP/2", " HTTP/2.0")],
  [1, fc.constantFrom("", " HTTP/1.1 ", " HTTP/", " HTTP/11", " HTTP/1.x", " http/1.1")],
  [1, fc.constantFrom("HTTP/1.1", " HTTP/1.1 HTTP/1.0")],
);
const request = mix(
  [12, fc.tuple(method, target, version).map(([m, t, v]) => `${m} ${t}${v}`)],
  [1, fc.constantFrom("-", "", " ", "GET", "GET ", "GET  HTTP/1.1", "GET /", "/ HTTP/1.1")],
  [1, bytes(12)],
);
const two = mix([9, fc.integer({ min: 1, max: 12 })], [2, fc.integer({ min: 0, max: 99 })])
  .map((number) => String(number).padStart(2, "0"));
const month = words("Jan Feb Feb Mar Dec jan anF");
const year = words("2026 2024 2000 2100 1970 1969 0070 9999 0000");
const zone = fc.oneof(
  words("+0000 -0000 +0530 -0800 +1400 +1500 +0060 0000 Z"),
  fc.constant(" 0000"),
);
const stamp = mix(
  [6, two.map((second) => `02/Mar/2026:10:00:${second} +0000`)],
  [
    3,
    fc.tuple(two, month, year, two, two, two, zone)
      .map(([d, mon, y, h, m, s, zone]) => `${d}/${mon}/${y}:${h}:${m}:${s} ${zone}`),
  ],
  [1, bytes(27)],
);
const prefix = mix(
  [6, fc.constantFrom("1.2.3.4 - -", "::1 - jo doe", "shop.example:80 1.2.3.4 - -")],
  [6, fc.constantFrom('"1.2.3.4 - -', "-", "")],
  [1, fc.constantFrom("x [02/Mar/2026:10:00:00 +0000]", "x [31/Feb/2026:10:00:00 +0000]")],
  [1, fc.constantFrom("[", "[ [", "x [02/Mar/2026")],
  [2, bytes(9)],
);
const rest = mix(
  [5, fc.constantFrom(" 200 123", ' 200 123 "-" "curl/8.5.0"', ' 200 1""')],
  [1, fc.constant(' 304 - "-" "Mozilla/5.0 (X11; Linux)" 0.003 rt=1')],
  [1, fc.constantFrom("", " ", " 20 1", " 200", " 200 ", " 200 x", "200 1", " 2000 1", " -")],
);
const wellFormed = fc.tuple(prefix, stamp, fc.constantFrom(" ", " ", " ", "", "  "), request, rest)
  .map(([before, time, gap, text, after]) => `${before} [${time}]${gap}"${text}"${after}`);
const inserted = fc.oneof(bytes(1), fc.constantFrom('"', "\\", " ", "[", "\n"));

/** Generates well-formed lines, and lines with one byte changed, removed or inserted. */
const line = mix(
  [6, wellFormed],
  [
    2,
    fc.tuple(wellFormed, fc.nat(), fc.nat({ max: 1 }), inserted).map(([text, at, gone, put]) => {
      const i = at % (text.length + 1);
      return text.slice(0, i) + put + text.slice(i + gone);
    }),
  ],
  [1, fc.oneof(fc.constantFrom("", "\r", " \t ", "\n\n"), bytes(40))],
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
