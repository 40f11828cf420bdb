import { call } from "../../src/plan/expressions/expression.ts";
import { assertEquals } from "@std/assert";
import type { Request } from "../../src/plan/kinds/request.ts";
import {
  replaceLiteral,
  restoreLiteral,
  type SoughtLiteral,
  usesVariable,
} from "../../src/calibrate/literal_edit.ts";

const variable = { kind: "variable", name: "v" } as const;
const written = (numeric: boolean) => ({
  expression: variable,
  encoded: call("url_encode", variable),
  numeric,
});
const replace = (
  request: Request,
  value: string,
  numeric?: boolean,
  agrees?: SoughtLiteral["agrees"],
) => replaceLiteral(request, { value, agrees }, written(numeric ?? false));

Deno.test("replaceLiteral replaces whole tokens in all parts of a request", () => {
  const request: Request = {
    url: "https://86686.example/a/86686/b-86686?x=86686&y=866861",
    headers: { Referer: "/list?id=86686", "X-Plain": "a86686" },
    body: { form: { "image-86686-title": "86686", other: "1" } },
  };
  assertEquals(replace(request, "86686"), {
    url: "https://86686.example/a/${v}/b-${v}?x=${v}&y=866861",
    headers: { Referer: "/list?id=${v}", "X-Plain": "a86686" },
    body: { form: [["image-${v}-title", "${v}"], ["other", "1"]] },
  });
});

Deno.test("replaceLiteral writes `url_encode` in percent-encoded text, and for a JSON string that contains only a number", () => {
  const request: Request = { url: "/f/a%20b%2Fc?p=a%20b%2Fc", body: { json: { path: "a b/c" } } };
  assertEquals(replace(request, "a b/c"), {
    url: "/f/${url_encode(v)}?p=${url_encode(v)}",
    body: { json: { path: "${v}" } },
  });
  const typed: Request = {
    url: "/x/5001",
    body: { json: { id: 5001, text: "5001", in: "no 5001" } },
  };
  assertEquals(replace(typed, "5001", true), {
    url: "/x/${v}",
    body: { json: { id: "${v}", text: "${url_encode(v)}", in: "no ${v}" } },
  });
});

Deno.test("replaceLiteral replaces a non-distinctive value only if it is the whole content of a field with a matching name", () => {
  const request: Request = {
    url: "/notes/1?page=1",
    body: { json: { note_id: 1, count: 1, t: "v 1" } },
  };
  const agrees: SoughtLiteral["agrees"] = ({ name }) => name === "notes" || name === "note_id";
  assertEquals(replace(request, "1", true, agrees), {
    url: "/notes/${v}?page=1",
    body: { json: { note_id: "${v}", count: 1, t: "v 1" } },
  });
});

Deno.test("replaceLiteral keeps expressions and escapes, and text after a `$`", () => {
  const request: Request = { url: "/${x}/$${y}/tok1/$tok1" };
  assertEquals(replace(request, "tok1").url, "/${x}/$${y}/${v}/$tok1");
});

Deno.test("restoreLiteral puts the recorded value into text that the plan encodes in base64", () => {
  const headers = {
    Authorization: 'Basic ${base64("x:" + id + ":" + token)}',
    X: "${base64(token)}",
  };
  const request: Request = { url: "/", headers };
  assertEquals(restoreLiteral(request, "token", "k3j9", false), {
    url: "/",
    headers: {
      Authorization: 'Basic ${base64("x:" + id + ":" + "k3j9")}',
      X: '${base64("k3j9")}',
    },
  });
});

Deno.test("restoreLiteral is the inverse of replaceLiteral", () => {
  const request: Request = {
    url: "/x/5001?q=5001",
    body: { json: { id: 5001, text: "5001", note: "is 5001" } },
  };
  const edited = replace(request, "5001", true);
  assertEquals([usesVariable(edited, "v"), usesVariable(request, "v")], [true, false]);
  assertEquals(restoreLiteral(edited, "v", "5001", true), request);
});

Deno.test("restoreLiteral writes the text that the plan sent with the variable", () => {
  const request: Request = {
    url: "/f/${url_encode(v)}",
    headers: { Referer: "/f/${url_encode(v)}", "X-Plain": "${v}" },
  };
  assertEquals(restoreLiteral(request, "v", "a b/c", false), {
    url: "/f/a%20b%2Fc",
    headers: { Referer: "/f/a%20b%2Fc", "X-Plain": "a b/c" },
  });
});
