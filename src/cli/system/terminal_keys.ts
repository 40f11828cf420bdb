/**
 * Calls `act` with each key that is pressed in the terminal. Returns a function that stops the
 * calls. Returns undefined if standard input is not a terminal. Also returns undefined if the
 * process may run in the background, because the system stops a background process that reads keys.
 */
export function readKeys(act: (key: string) => void): (() => void) | undefined {
  if (!Deno.stdin.isTerminal() || !isInForeground()) return undefined;
  try {
    // Ctrl-C still sends a signal.
    Deno.stdin.setRaw(true, { cbreak: Deno.build.os !== "windows" });
  } catch {
    return undefined;
  }
  let isListening = true;
  const bytes = new Uint8Array(64);
  const read = async () => {
    const decoder = new TextDecoder();
    while (isListening) {
      const size = await Deno.stdin.read(bytes);
      if (size === null) return;
      for (const key of decoder.decode(bytes.subarray(0, size), { stream: true })) {
        if (isListening) act(key);
      }
    }
  };
  // The terminal may be closed during the run.
  read().catch(() => {});
  return () => {
    if (!isListening) return;
    isListening = false;
    try {
      Deno.stdin.setRaw(false);
    } catch {
      // The terminal is closed.
    }
  };
}

/**
 * Reports whether the process is in the foreground of its terminal. Returns false if this is
 * unknown, for example because a permission is missing.
 */
function isInForeground(): boolean {
  const { os } = Deno.build;
  if (os === "windows") return true;
  try {
    if (os === "linux") {
      // The fields after the name in parentheses are: state, parent, process group, session,
      // terminal, and the process group in the foreground.
      const path = `/proc/${Deno.pid}/stat`;
      if (Deno.permissions.querySync({ name: "read", path }).state !== "granted") return false;
      const stat = Deno.readTextFileSync(path);
      const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return group === foreground;
    }
    if (Deno.permissions.querySync({ name: "run", command: "ps" }).state !== "granted") {
      return false;
    }
    const args = ["-o", "pgid=,tpgid=", "-p", String(Deno.pid)];
    const { stdout } = new Deno.Command("ps", { args, stdin: "null" }).outputSync();
    const [group, foreground] = new TextDecoder().decode(stdout).trim().split(/\s+/);
    return group === foreground;
  } catch {
    return false;
  }
}
