/**
 * Preloaded before main.ts, so that it runs as if it were the compiled binary. At exit, checks each
 * permission and prints the remaining ones to standard error, such as `kept: read net`.
 */
Object.defineProperty(Deno, "build", { value: { ...Deno.build, standalone: true } });

const uses: Record<string, () => void> = {
  read: () => Deno.statSync("/"),
  write: () => Deno.removeSync(Deno.makeTempFileSync()),
  net: () => Deno.listen({ hostname: "127.0.0.1", port: 0 }).close(),
  env: () => void Deno.env.get("HOME"),
  run: () => void new Deno.Command(Deno.execPath(), { args: ["--version"] }).outputSync(),
};

addEventListener("unload", () => {
  const kept = Object.keys(uses).filter((name) => {
    try {
      uses[name]();
      return true;
    } catch (error) {
      if (error instanceof Deno.errors.NotCapable) return false;
      throw error;
    }
  });
  console.error(`kept: ${kept.join(" ")}`);
});
