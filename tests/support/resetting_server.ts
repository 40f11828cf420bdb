import { createServer } from "node:net";

/** Starts a server on 127.0.0.1 that responds with `text` and then resets the connection. */
export async function resettingServer(text: string): Promise<{ port: number } & AsyncDisposable> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.write(text, () => socket.resetAndDestroy()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as { port: number }).port,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
