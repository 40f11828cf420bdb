import fc from "fast-check";
import { assertMatchesW3cReference, w3cLog } from "../../../properties/w3c_layouts.ts";

Deno.test("W3C logs with any columns, separators and quotes are read like by a naive reader", () => {
  fc.assert(fc.property(w3cLog, assertMatchesW3cReference), { numRuns: 100 });
});
