import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { PathPatterns } from "../../../../src/traffic/accesslog/collect/filters.ts";
import { LogRequest } from "../../../../src/traffic/accesslog/read/log_request.ts";

/** Creates a request to an endpoint whose path contains ids. */
function requestTo(route: string): LogRequest {
  const bytes = new TextEncoder().encode(`GET ${route}`);
  const request = new LogRequest();
  Object.assign(request.key, { bytes, from: 0, to: bytes.length, hasId: true });
  return request;
}

const ROUTE = "/api/orders/${vars.id}/view";

function isSame(patterns: readonly RegExp[], route = ROUTE): boolean {
  return new PathPatterns(patterns).isSameForEndpoint(requestTo(route));
}

Deno.test("isSameForEndpoint is true if the text before the first id decides whether a pattern matches", () => {
  assertEquals(isSame([/^\/api/u]), true);
  assertEquals(isSame([/^\/api\/orders\//u]), true);
  assertEquals(isSame([/^\/shop/u]), true);
  assertEquals(isSame([/^\/api\/orders\/1/u]), false);
  assertEquals(isSame([/orders/u]), true);
  assertEquals(isSame([/view/u]), false);
  assertEquals(isSame([/^\/shop/u, /^\/api\/orders\/1/u]), false);
  assertEquals(isSame([/^\/api/u, /^\/api\/orders\/1/u]), true);
  assertEquals(isSame([/^/u]), true);
});

Deno.test("isSameForEndpoint is false for patterns that are not plain text or that ignore case", () => {
  for (const pattern of [/^\/api$/u, /^\/ap./u, /^\/(api)/u, /^\/api/i, /^\/api\d*/u, /^\/é/u]) {
    assertEquals(isSame([pattern]), false, pattern.source);
  }
  assertEquals(isSame([/\^\/api/u]), false);
  assertEquals(isSame([/^\/a\.b/u], "/a.b/${vars.id}"), true);
});

Deno.test("if isSameForEndpoint is true, the patterns have the same result for all paths of the endpoint", () => {
  const part = fc.stringMatching(/^[ab.]{0,3}$/);
  const start = fc.tuple(part, part).map((parts) => `/${parts.join("/")}/`);
  const ids = fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 8 });
  const source = fc.tuple(fc.constantFrom("", "^"), fc.stringMatching(/^\/?[ab1]{0,2}(\/[ab1]?)?$/))
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(
      start,
      ids,
      fc.array(source, { minLength: 1, maxLength: 3 }),
      (start, ids, sources) => {
        const patterns = new PathPatterns(sources.map((source) => new RegExp(source, "u")));
        if (!patterns.isSameForEndpoint(requestTo(start + "${vars.id}"))) return;
        const results = new Set(ids.map((id) => patterns.match(start + id)));
        assertEquals(results.size, 1);
      },
    ),
  );
});
