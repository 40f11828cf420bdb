import { assertEquals } from "@std/assert";
import { COMBINED } from "../../../../src/traffic/accesslog/formats/combined.ts";
import {
  mergeRoutes,
  parameterValues,
} from "../../../../src/traffic/accesslog/routes/merge_routes.ts";
import { parseRoutePattern } from "../../../../src/traffic/accesslog/routes/route_pattern.ts";
import { logLine } from "../../../builders/log_line.ts";
import { readLines } from "../../../support/read_lines.ts";

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
    ...Array.from({ length: 20 }, (_, i) => `/pages/p${i}-x`),
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
  assertEquals(profile.endpoints, 23);
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

Deno.test("parameterValues returns the recorded value of each path parameter of a route", () => {
  const route = "/a/${vars.x}/b/${vars.y}.txt";
  assertEquals(parameterValues(route, "/a/1%202/b/${vars.id}.txt"), ["1%202", "${vars.id}"]);
  assertEquals(parameterValues(route, "/a/1"), []);
});
