import { createServer } from "node:tls";
import { serverPair } from "./test_certificates.ts";

// Serves `plain.sock` and `tls.sock` in the folder given as an argument, until standard input ends.
const [folder] = Deno.args;
const plain = Deno.serve(
  { path: `${folder}/plain.sock`, onListen() {} },
  (request) => new Response(`${request.headers.get("host")}${new URL(request.url).pathname}`),
);
const { cert, key } = serverPair();
const tls = createServer({ cert, key }, (socket) => {
  socket.on("error", () => {});
  socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ntls!"));
});
await new Promise<void>((resolve) => tls.listen(`${folder}/tls.sock`, resolve));
console.log("ready");
await Deno.stdin.read(new Uint8Array(1));
tls.close();
await plain.shutdown();
