/**
 * Preloaded before main.ts: makes it believe that it is the compiled binary and, when it ends, tries
 * to use what it was built with, one line each on standard error.
 */
Object.defineProperty(Deno, "build", { value: { ...Deno.build, standalone: true } });

const uses: Record<string, () => void> = {
  read: () => Deno.statSync("/"),
  write: () => Deno.writeTextFileSync(Deno.makeTempFileSync(), ""),
  net: () => Deno.listen({ hostname: "127.0.0.1", port: 0 }).close(),
  env: () => void Deno.env.get("HOME"),
  run: () => void new Deno.Command(Deno.execPath(), { args: ["--version"] }).outputSync(),
};

addEventListener("unload", () => {
  const held = Object.keys(uses).filter((name) => {
    try {
      uses[name]();
      return true;
    } catch (error) {
      if (error instanceof Deno.errors.NotCapable) return false;
      throw error;
    }
  });
  console.error(`held: ${held.join(" ")}`);
});
