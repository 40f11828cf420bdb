import { assert, assertEquals, assertThrows } from "@std/assert";
import { InputError } from "../../../../src/base/errors.ts";
import {
  openApiPatterns,
  parseRoutePattern,
} from "../../../../src/traffic/accesslog/routes/merge_routes.ts";

Deno.test("parseRoutePattern matches one segment per parameter", () => {
  const { route, matches } = parseRoutePattern("/blog/:slug/comments")!;
  assertEquals(route, "/blog/${vars.slug}/comments");
  for (const path of ["/blog/a/comments", "/blog/${vars.id}/comments", "/blog/a%20b/comments"]) {
    assert(matches(path), path);
  }
  for (const path of ["/blog/a", "/blog//comments", "/blog/a/b/comments", "/x/blog/a/comments"]) {
    assert(!matches(path), path);
  }
});

Deno.test("parseRoutePattern accepts braces within a segment, and any text around them", () => {
  const { route, matches } = parseRoutePattern("/a.b/{file-name}.json")!;
  assertEquals(route, "/a.b/${vars.file_name}.json");
  assert(matches("/a.b/x.json"));
  assert(!matches("/aXb/x.json"));
  assertEquals(parseRoutePattern("/café/:x")?.route, "/caf%C3%A9/${vars.x}");
  assertEquals(parseRoutePattern("/a:b/:c")?.route, "/a:b/${vars.c}");
  assert(parseRoutePattern("/${vars.id}/:c")?.matches("/$${vars.id}/1"));
});

Deno.test("parseRoutePattern rejects text that is not a path with a parameter", () => {
  for (const text of ["", "/", "/blog", "blog/:slug", "/a b/:c", "/a?b=:c", ":slug"]) {
    assertEquals(parseRoutePattern(text), undefined, text);
  }
});

Deno.test("openApiPatterns returns the paths with and without the server's path, most specific first", () => {
  const document = {
    servers: [
      { url: "https://{stage}.example/v1/", variables: { stage: { default: "api" } } },
      { url: "/{version}", variables: { version: { enum: ["v1", "v2"], default: "v2" } } },
    ],
    paths: { "/users/{id}": {}, "/users/{id}/files/{name}.txt": {}, "/users/me": {} },
  };
  const patterns = openApiPatterns(document, "api.yaml");
  assertEquals(patterns.map(({ text }) => text), [
    ...["/users/me", "/v1/users/me", "/v2/users/me", "/users/{id}", "/v1/users/{id}"],
    ...["/v2/users/{id}", "/users/{id}/files/{name}.txt", "/v1/users/{id}/files/{name}.txt"],
    "/v2/users/{id}/files/{name}.txt",
  ]);
  const routes = ["/v1/users/me", "/v1/users/bob", "/v1/users/me/files/a.txt"];
  assertEquals(routes.map((path) => patterns.find(({ matches }) => matches(path))?.route), [
    "/v1/users/me",
    "/v1/users/${vars.id}",
    "/v1/users/${vars.id}/files/${vars.name}.txt",
  ]);
  for (const invalid of [null, [], "x", {}, { paths: [] }]) {
    assertThrows(() => openApiPatterns(invalid, "api.yaml"), InputError, "no `paths`");
  }
});
