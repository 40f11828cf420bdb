/** Returns a free port on 127.0.0.1. */
export function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
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
