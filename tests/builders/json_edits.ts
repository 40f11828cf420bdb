import fc from "fast-check";

/**
 * A change to one member or item of a JSON value. `at` modulo the number of all members and items
 * is the index of the changed one.
 */
export interface JsonEdit {
  readonly at: number;
  readonly how: "replace" | "remove" | "add" | "repeat";
  readonly value: unknown;
}

const ODD: readonly unknown[] = [
  ...[
    null,
    true,
    0,
    -1,
    0.5,
    1e308,
    -1e308,
    2 ** 53,
    1e21,
    "",
    "0",
    "-",
    " ",
    "NaN",
    "1/1",
    "p(95)",
  ],
  ...["${", "${vars.a}", "$${", "\u001b[2J", "\u202e", "\ud800", "</script>", "]]>", "a\nb", "\0"],
  ...[
    "__proto__",
    "constructor",
    "http://[",
    "//",
    "http://h:99999/",
    "data:,x",
    "é",
    "x".repeat(9_000),
  ],
  ...["2026-11-21T10:00:00Z", "9999-12-31T23:59:59.999Z", "0000", "application/json", "base64"],
  ...[[], {}, [[]], [null], { a: {} }, [{ name: "x" }], { name: 1, value: 2 }],
];

/** Generates one to five changes that keep the value valid JSON. */
export const jsonEdits: fc.Arbitrary<JsonEdit[]> = fc.array(
  fc.record({
    at: fc.nat(),
    how: fc.constantFrom("replace", "replace", "replace", "remove", "add", "repeat"),
    value: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...ODD) },
      { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
    ),
  }),
  { minLength: 1, maxLength: 5 },
);

/** Applies changes to the JSON value in `text` and returns the changed JSON. */
export function editedJson(text: string, edits: readonly JsonEdit[]): string {
  const root = { whole: JSON.parse(text) };
  for (const edit of edits) change(root, edit);
  return JSON.stringify(root.whole) ?? "";
}

type Container = Record<string, unknown>;

function change(root: Container, { at, how, value }: JsonEdit): void {
  const places = placesIn(root);
  if (places.length === 0) return;
  const [container, key] = places[at % places.length];
  // A copy, because later edits change it.
  const odd = structuredClone(value);
  if (how === "remove") delete container[key];
  else if (how === "replace") container[key] = odd;
  else if (how === "add") container[Array.isArray(container) ? container.length : "added"] = odd;
  else if (Array.isArray(container)) container.push(structuredClone(container[Number(key)]));
}

function placesIn(root: Container): [Container, string][] {
  const places: [Container, string][] = [];
  const containers = [root];
  for (let container; (container = containers.pop()) !== undefined;) {
    for (const [key, value] of Object.entries(container)) {
      places.push([container, key]);
      if (typeof value === "object" && value !== null) containers.push(value as Container);
    }
  }
  return places;
}
