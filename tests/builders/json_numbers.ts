import fc from "fast-check";

/** JSON numbers that change their value or text when converted to a double. */
export const TRICKY_NUMBERS = [
  ...["1234567890123456789", "-1234567890123456789", "9007199254740992", "9007199254740993"],
  ...["100000000000000000000000", "1.10", "1.0", "1e3", "1E+2", "1e400", "-0", "0.0"],
  ...["0.1000000000000000055", "1700000000.1234567", "12345678.12345678", "0.0000001"],
];

/** Generates numbers as JSON text, including numbers that a double cannot represent exactly. */
export const jsonNumbers: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...TRICKY_NUMBERS),
  fc.stringMatching(/^-?(0|[1-9][0-9]{0,24})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?$/),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
);
