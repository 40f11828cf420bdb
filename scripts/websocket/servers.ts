/**
 * Exchanges messages with the echo servers of Node's `ws` and Python's `websockets`, with and
 * without compression, and prints what differs. Exits with 1 if anything does.
 *
 *     deno run -A scripts/websocket/servers.ts [--node FOLDER] [--python PROGRAM]
 *
 * FOLDER contains `node_modules/ws` (`npm install ws`). PROGRAM is a Python interpreter with the
 * package `websockets` (`pip install websockets`).
 */
import { parseArgs } from "@std/cli/parse-args";
import type { SocketEnd, SocketMessage } from "../../src/http/sender.ts";
import { defaultSender, openSocket } from "./client.ts";

const NODE = `
const { WebSocketServer } = require("ws");
const server = new WebSocketServer({ host: "127.0.0.1", port: 0, maxPayload: 1e8,
  perMessageDeflate: process.argv[1] === "deflate" && { threshold: 0 },
  handleProtocols: (offered) => [...offered].at(-1) }, () => console.log(server.address().port));
server.on("connection", (socket) => {
  socket.on("error", (error) => console.error(error.message));
  socket.on("message", (data, isBinary) => socket.send(data, { binary: isBinary }));
});
`;
const PYTHON = `
import asyncio, sys
from websockets.asyncio.server import serve
async def echo(socket):
    async for message in socket: await socket.send(message)
async def main():
    compression = "deflate" if sys.argv[1] == "deflate" else None
    async with serve(echo, "127.0.0.1", 0, compression=compression, max_size=10**8,
                     subprotocols=["v2"]) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await asyncio.Future()
asyncio.run(main())
`;

const { node, python } = parseArgs(Deno.args, { string: ["node", "python"] });
const servers: [name: string, program: string, args: string[], cwd?: string][] = [];
if (node) servers.push(["Node ws", "node", ["-e", NODE], node]);
if (python) servers.push(["Python websockets", python, ["-c", PYTHON]]);
if (servers.length === 0) {
  console.error("usage: servers.ts [--node FOLDER] [--python PROGRAM]");
  Deno.exit(2);
}

let failures = 0;
for (const [name, program, args, cwd] of servers) {
  for (const mode of ["plain", "deflate"]) {
    const child = new Deno.Command(program, {
      args: [...args, mode],
      cwd,
      stdout: "piped",
      stderr: "null",
    })
      .spawn();
    try {
      const port = await firstLine(child.stdout);
      for (const compression of [true, false]) {
        const wrong = await exchange(`http://127.0.0.1:${port}/`, compression);
        failures += wrong.length;
        const result = wrong.length === 0 ? "passed" : wrong.join("; ");
        console.log(
          `${name}, server ${mode}, client offers compression: ${compression}: ${result}`,
        );
      }
    } finally {
      child.kill();
      await child.status;
    }
  }
}
Deno.exit(failures === 0 ? 0 : 1);

async function firstLine(output: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of output.values({ preventCancel: true })) {
    text += new TextDecoder().decode(chunk);
    if (text.includes("\n")) return text.trim();
  }
  throw new Error("the server did not start");
}

/**
 * Sends messages of various sizes to an echo server. Returns a description of each message that did
 * not come back unchanged, and of an unexpected end of the connection.
 */
async function exchange(url: string, compression: boolean): Promise<string[]> {
  const sender = defaultSender();
  const socket = await openSocket(sender, url, { compression, subprotocols: ["v1", "v2"] });
  const messages = testMessages();
  const received: SocketMessage[] = [];
  const { promise: all, resolve } = Promise.withResolvers<void>();
  const { promise: ended, resolve: end } = Promise.withResolvers<SocketEnd>();
  socket.listen({
    onMessage(message) {
      received.push(message);
      if (received.length === messages.length) resolve();
    },
    onEnd(event) {
      resolve();
      end(event);
    },
  });
  const encoder = new TextEncoder();
  for (const message of messages) {
    const isText = typeof message === "string";
    void socket.send(isText ? encoder.encode(message) : message, isText);
  }
  await all;
  socket.close(3000, "done");
  const { code, error, message } = await ended;
  sender.close();
  const wrong = messages.flatMap((sent, i) =>
    String(sent) === String(received[i]) ? [] : [`message ${i} of ${sent.length} differs`]
  );
  if (error !== undefined) wrong.push(`ended with ${error}: ${message}`);
  if (code !== 3000) wrong.push(`ended with code ${code}`);
  return wrong;
}

function testMessages(): SocketMessage[] {
  const sizes = [0, 1, 125, 126, 1_023, 1_024, 65_535, 65_536, 1_000_000];
  const texts = sizes.map((size) => "wörld €𝄞 ".repeat(size / 9 + 1).slice(0, size).toWellFormed());
  const binary = sizes.map((size) => Uint8Array.from({ length: size }, (_, i) => i * i & 0xff));
  return [...texts, ...binary, ...texts];
}
