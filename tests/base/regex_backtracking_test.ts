import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { loadBacktrackingSearch, mayRepeatGroup } from "../../src/base/regex_backtracking.ts";

const backtrackingGroup = loadBacktrackingSearch();

/** Patterns that take exponential time on text that almost matches. */
const SLOW: readonly [pattern: string, group: string][] = [
  ["((a+)+)!$", "(a+)+"],
  ["^(a+)+$", "(a+)+"],
  ["^(\\w+\\s?)*$", "(\\w+\\s?)*"],
  ["(x*)*y", "(x*)*"],
  ["<(?:\\s*\\w+\\s*)*>", "(?:\\s*\\w+\\s*)*"],
  ["(?:,?\\d+)+;", "(?:,?\\d+)+"],
  ["(a|a)*b", "(a|a)*"],
  ['"(.|\\s)*"', "(.|\\s)*"],
  ["(?:\\w|\\d){2,}-", "(?:\\w|\\d){2,}"],
  ["((?:ab?)*c?)*d", "((?:ab?)*c?)*"],
  ["(?<word>[a-z]+)+:", "(?<word>[a-z]+)+"],
  ["(\\x41+)+B", "(\\x41+)+"],
  ["(a|b+)*c", "(a|b+)*"],
  ["x(?:(?:y+)+z)?", "(?:y+)+"],
  ["(a{1,})*?b", "(a{1,})*?"],
];

/** Common patterns that do not take exponential time. */
const QUICK = [
  'name="csrf" value="([^"]+)"',
  "id=(\\d+)",
  "(\\w+)+",
  "^[\\w.+-]+@[\\w-]+(\\.[\\w-]+)+$",
  "(?:\\w+\\s)+",
  "([a-z]+,)*end",
  "^(\\d{1,3}\\.){3}\\d{1,3}$",
  "(?:a|b)*c",
  '(?:[^"\\\\]|\\\\.)*"',
  "(.|\\n)*end",
  "(a+){2,5}$",
  "(?=a+)+b",
  "\\((?:[^()]|\\([^()]*\\))*\\)",
  "/orders/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})",
  "(?:foo|bar)+$",
  "(\\s*,\\s*\\w+)*$",
  "[(a+)+]b",
  "\\(a+\\)+b",
  "(a?)+b",
  '({"a":\\d+},?)+]',
  "(\\w)\\1+x",
  "^\\s*$",
  "",
];

Deno.test("backtrackingGroup finds a repeated group that can match the same text in many ways", () => {
  for (const [pattern, group] of SLOW) assertEquals(backtrackingGroup(pattern), group, pattern);
});

Deno.test("backtrackingGroup supports `u`-flag syntax", () => {
  assertEquals(backtrackingGroup("(\\p{L}+)+!", "u"), "(\\p{L}+)+");
  assertEquals(backtrackingGroup("(\\p{Lu}|A)+!", "u"), "(\\p{Lu}|A)+");
  assertEquals(
    backtrackingGroup("([\\u{1F600}-\\u{1F64F}]+)+!", "u"),
    "([\\u{1F600}-\\u{1F64F}]+)+",
  );
});

Deno.test("mayRepeatGroup is true for patterns with a repeated group, even if YAML escapes it", () => {
  for (const [pattern] of SLOW) {
    assert(mayRepeatGroup(pattern), pattern);
    const hidden = pattern.replaceAll(")", "\\x29").replaceAll("+", "\\u002b");
    assert(mayRepeatGroup(hidden), hidden);
  }
  assert(mayRepeatGroup('"(a+)\\\n  +"'));
  assert(!mayRepeatGroup("id=(\\d+)"));
});

Deno.test("backtrackingGroup returns undefined for common patterns", () => {
  for (const pattern of QUICK) assertEquals(backtrackingGroup(pattern), undefined, pattern);
});

Deno.test("backtrackingGroup does not throw an error for a valid pattern", () => {
  const piece = fc.constantFrom(
    ..."ab()[]{}|*+?\\.^$-,19:=!<>xuck".split(""),
    "(?:",
    "(?=",
    "(?<n>",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      const pattern = pieces.join("");
      if (compiles(pattern)) backtrackingGroup(pattern);
    }),
  );
});

function compiles(pattern: string): boolean {
  try {
    return new RegExp(pattern) !== undefined;
  } catch {
    return false;
  }
}
