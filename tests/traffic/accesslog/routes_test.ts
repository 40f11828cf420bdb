import { assert, assertEquals, assertThrows } from "@std/assert";
import { InputError } from "../../../src/base/errors.ts";
import { COMBINED } from "../../../src/traffic/accesslog/formats/formats.ts";
import {
  mergeRoutes,
  openApiPatterns,
  parameterValues,
  parseRoutePattern,
} from "../../../src/traffic/accesslog/routes/merge_routes.ts";
import { logLine } from "../../builders/log_line.ts";
import { readLines } from "../../support/read_lines.ts";

function profileOf(paths: readonly string[]) {
  const lines = paths.map((path, i) => logLine({ at: 1_795_255_200_000 + i, path })).join("");
  return readLines(new TextEncoder().encode(lines), COMBINED);
}

function repeat(path: string, count: number): string[] {
  return Array.from({ length: count }, () => path);
}

Deno.test("mergeRoutes adds up the requests to paths that match a pattern", () => {
  const profile = profileOf(["/", "/blog/a", "/blog/b", "/blog/b", "/blog/17", "/about"]);
  const patterns = ["/blog/:slug", "/none/:x"].map((text) => parseRoutePattern(text)!);
  const merged = mergeRoutes(profile, { patterns, isAutomatic: false });
  assertEquals(profile.top(Infinity), [
    { method: "GET", route: "/blog/${vars.slug}", count: 4 },
    { method: "GET", route: "/", count: 1 },
    { method: "GET", route: "/about", count: 1 },
  ]);
  assertEquals([profile.endpoints, profile.requests], [3, 6]);
  assertEquals(merged.partsOf(profile.top(1)[0]).map(({ route, count }) => [route, count]), [
    ["/blog/b", 2],
    ["/blog/a", 1],
    ["/blog/${vars.id}", 1],
  ]);
  assertEquals(merged.nameOf("GET /blog/a"), "GET /blog/${vars.slug}");
  assertEquals([...merged.samples], [["slug", "b"]]);
  assertEquals(merged.unmatched.map(({ text }) => text), ["/none/:x"]);
});

Deno.test("mergeRoutes finds a path parameter if a parent path has many child segments and most of them are rare", () => {
  const posts = Array.from({ length: 60 }, (_, i) => `/posts/title-${"abcdefghij"[i % 10]}${i}`);
  const profile = profileOf([
    ...posts,
    ...repeat("/posts/popular", 20),
    ...Array.from({ length: 19 }, (_, i) => `/pages/p${i}-x`),
    ...Array.from({ length: 60 }, (_, i) => `/posts/image-${i}-y.png`),
  ]);
  const { found } = mergeRoutes(profile, { patterns: [], isAutomatic: true });
  assertEquals(found.map(({ path, values }) => [path, values]), [
    ["/posts/:post", 60],
    ["/posts/:post_2", 60],
  ]);
  assertEquals(found.every(({ samples }) => samples.length === 3), true);
  assertEquals(profile.top(3).map(({ route, count }) => [route, count]), [
    ["/posts/${vars.post}", 60],
    ["/posts/${vars.post_2}", 60],
    ["/posts/popular", 20],
  ]);
  assertEquals(profile.endpoints, 22);
});

Deno.test("mergeRoutes does not merge different pages whose names are words, unless there are many", () => {
  const words = ["about", "cart", "checkout", "help", "login", "log-out", "orders", "robots.txt"];
  const letters = [..."abcdefghijklmnopqrstuvwxyz"];
  const pages = [...words, "search", "signup", ".well-known", "terms", "über"];
  const profile = profileOf([
    ...pages.flatMap((page) => [`/${page}`, `/api/${page}/list`]),
    ...letters.flatMap((a) => ["x", "yz", "w"].map((b) => `/tags/${a}${b}`)),
    ...Array.from({ length: 49 }, (_, i) => `/posts/the-story-of-${i}`),
  ]);
  const { found } = mergeRoutes(profile, { patterns: [], isAutomatic: true });
  assertEquals(found.map(({ path, values }) => [path, values]), [
    ["/tags/:tag", 78],
    ["/posts/:post", 49],
  ]);
});

Deno.test("mergeRoutes merges path segments that differ only in their numbers if there are at least 20 of them", () => {
  const numbered = (count: number, path: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => path(i + 1));
  const profile = profileOf([
    ...numbered(28, (i) => `/blog/post-${i}`),
    ...numbered(20, (i) => `/blog/draft_${i}`),
    ...repeat("/blog/about-us", 3),
    ...numbered(25, (i) => `/shop/v2-${i}x/reviews`),
    ...numbered(26, (i) => `/img/photo-${i}.jpg`),
    ...numbered(22, (i) => `/days/2026-01-${i}`),
  ]);
  const { found } = mergeRoutes(profile, { patterns: [], isAutomatic: true });
  assertEquals(found.map(({ path, values }) => [path, values]), [
    ["/blog/:post", 28],
    ["/blog/:draft", 20],
    ["/shop/:shop", 25],
    ["/days/:day", 22],
    ["/img/:photo", 26],
  ]);
  assertEquals(profile.top(1), [{ method: "GET", route: "/blog/${vars.post}", count: 28 }]);
  assertEquals(profile.endpoints, 6);
});

Deno.test("mergeRoutes keeps numbered path segments that are few, frequent, or parents of many paths", () => {
  const numbers = [...Array(19).keys()];
  const profile = profileOf([
    ...repeat("/", 2_000),
    ...numbers.slice(0, 5).map((i) => `/page-${i}`),
    ...["/v1", "/v2", "/v3"],
    ...numbers.map((i) => `/steps/step-${i}`),
    // The first of 20 has more than 10 % of the requests.
    ...repeat("/levels/level-0", 5),
    ...numbers.map((i) => `/levels/level-${i + 1}`),
    ...[..."abcdefghijklmnopqrst"].map((letter) => `/words/${letter.repeat(3)}`),
  ]);
  const endpoints = profile.endpoints;
  const { found } = mergeRoutes(profile, { patterns: [], isAutomatic: true });
  assertEquals(found.map(({ path }) => path), []);
  assertEquals(profile.endpoints, endpoints);
});

Deno.test("mergeRoutes finds the parameters of a log that contains a path with thousands of segments", () => {
  const deep = "/posts/post-0" + "/a".repeat(4_000);
  const posts = Array.from({ length: 30 }, (_, i) => `/posts/post-${i}`);
  const profile = profileOf([...posts, deep]);
  const { found } = mergeRoutes(profile, { patterns: [], isAutomatic: true });
  assertEquals(found.map(({ path, values }) => [path, values]), [["/posts/:post", 30]]);
  assertEquals(profile.top(2).map(({ route }) => route), [
    "/posts/${vars.post}",
    "/posts/${vars.post}" + "/a".repeat(4_000),
  ]);
});

Deno.test("parameterValues returns the recorded value of each path parameter of a route", () => {
  const route = "/a/${vars.x}/b/${vars.y}.txt";
  assertEquals(parameterValues(route, "/a/1%202/b/${vars.id}.txt"), ["1%202", "${vars.id}"]);
  assertEquals(parameterValues(route, "/a/1"), []);
});

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
