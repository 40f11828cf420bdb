/**
 * First port that `freePort` may return, and the number of ports to choose from. No operating
 * system assigns these ports to connections or to listeners on port 0: Linux assigns ports from
 * 32768, and macOS and Windows from 49152.
 */
const [FIRST_PORT, PORTS] = [20_000, 10_000];

/**
 * Returns a free port on 127.0.0.1 for a program that cannot choose a port and print it. The port
 * remains free until a process asks for exactly this port.
 */
export function freePort(): number {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    try {
      Deno.listen({ hostname: "127.0.0.1", port }).close();
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}

/**
 * Waits until a server listens on `port` of 127.0.0.1. If it never does, rejects with the error of
 * the last attempt to connect.
 */
export async function untilListening(
  port: number,
  { attempts, pauseMs }: { readonly attempts: number; readonly pauseMs: number },
): Promise<void> {
  for (let attempt = 0;; attempt++) {
    try {
      return (await Deno.connect({ hostname: "127.0.0.1", port })).close();
    } catch (error) {
      if (attempt === attempts) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}
