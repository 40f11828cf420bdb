import { assertEquals } from "@std/assert";
import { splitRequest } from "../../../src/traffic/session/recorded_call.ts";
import { requestNames } from "../../../src/traffic/session/operation_name.ts";

Deno.test("the name of a gRPC-web call contains its service and method", () => {
  const call = splitRequest({
    method: "POST",
    url: "https://api.example/shop.v1.CartService/AddItem",
    headers: [{ name: "Content-Type", value: "application/grpc-web+proto" }],
    body: { kind: "base64", base64: "AAAAAAA=", contentType: "application/grpc-web+proto" },
  });
  const names = requestNames([call], ({ recorded }) => recorded);
  assertEquals(names[0], "POST /shop.v1.CartService/AddItem");
});
