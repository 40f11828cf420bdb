import { assert } from "@std/assert";
import { extractorFor } from "../../src/correlation/propose.ts";
import type { Occurrence, Place, Response } from "../../src/correlation/views.ts";
import { measureCpu } from "../support/cpu_time.ts";

/** Number of values for which each test proposes extractors. */
const VALUES = 200;

function body(mimeType: string, text: string): Response {
  return { headers: [], mimeType, text };
}

function at(response: Response, text: string, place: Place, start = 0, end = text.length) {
  return { view: { response, text, key: "", place }, start, end } satisfies Occurrence;
}

/**
 * Returns the CPU time, in seconds, for the extractors of occurrences in a body of a given size.
 */
function secondsFor(create: (size: number) => Occurrence[], size: number): number {
  const occurrences = create(size);
  return measureCpu(() => {
    for (const one of occurrences) assert(extractorFor(one) !== undefined);
  }).seconds;
}

const letters = (i: number) => i.toString(26).replace(/\d/g, (d) => "qrstuvwxyz"[Number(d)]);
const id = (i: number) => `${letters(i)}-${(i * 7919).toString(16)}`;

const BODIES: Readonly<Record<string, (size: number) => Occurrence[]>> = {
  "items of a list, by their names": (size) => {
    const items = Array.from({ length: size }, (_, i) => ({ name: `a ${letters(i)}`, id: id(i) }));
    const response = body("application/json", JSON.stringify({ items }));
    return Array.from({ length: VALUES }, (_, k) => {
      const i = k * Math.floor(size / VALUES);
      return at(response, id(i), { kind: "json", path: ["items", i, "id"], isNumber: false });
    });
  },
  "parts of strings in JSON": (size) => {
    const links = Array.from({ length: size }, (_, i) => `/a/${letters(i)}/b?key=${id(i)}`);
    const response = body("application/json", JSON.stringify({ links }));
    return Array.from({ length: VALUES }, (_, k) => {
      const i = k * Math.floor(size / VALUES);
      const place = { kind: "json", path: ["links", i], isNumber: false } as const;
      return at(response, links[i], place, links[i].length - id(i).length);
    });
  },
  "links of a page": (size) => {
    const text = Array.from({ length: size }, (_, i) => `<a href="/${letters(i)}/${id(i)}">x</a>`)
      .join("\n");
    const response = body("text/html", text);
    return Array.from({ length: VALUES }, (_, k) => {
      const value = id(k * Math.floor(size / VALUES));
      const start = text.indexOf(`/${value}"`) + 1;
      return at(response, text, { kind: "body" }, start, start + value.length);
    });
  },
};

for (const [name, create] of Object.entries(BODIES)) {
  Deno.test(`extractorFor takes linear time for ${name}`, () => {
    secondsFor(create, VALUES);
    const [small, large] = [2_000, 8_000].map((size) => secondsFor(create, size));
    assert(large < 8 * small + 0.1, `${small} s, ${large} s`);
  });
}
