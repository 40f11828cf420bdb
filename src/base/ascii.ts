// Byte values of ASCII characters. Plain constants, because AssemblyScript compiles this file too.
// In hot loops, copy them: `const { LF } = ascii;`. V8 loads an imported constant each time.
// bench: scripts/bench/accesslog.ts, 4% of the CPU time of a log with filters.

export const TAB = 0x09;
/** Line feed. */
export const LF = 0x0a;
/** Carriage return. */
export const CR = 0x0d;
/** Space. */
export const SPACE = 0x20;
export const QUOTE = 0x22;
export const HASH = 0x23;
/** `$`. */
export const DOLLAR = 0x24;
export const PERCENT = 0x25;
export const STAR = 0x2a;
export const PLUS = 0x2b;
/** `,`. */
export const COMMA = 0x2c;
export const DASH = 0x2d;
export const DOT = 0x2e;
/** `/`. */
export const SLASH = 0x2f;
export const ZERO = 0x30;
export const NINE = 0x39;
/** `:`. */
export const COLON = 0x3a;
export const SEMICOLON = 0x3b;
/** `?`. */
export const QUESTION = 0x3f;
export const OPEN_BRACKET = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
