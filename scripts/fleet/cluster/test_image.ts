import { copyProgram, run, writeImage } from "./container_image.ts";

/** Name of the container image that contains `rehearse` and `nats-server`. */
export const TEST_IMAGE = "registry.local/rehearse:test";
const PAUSE_IMAGE = "registry.local/pause:1";

const ROOT = new URL("../../..", import.meta.url).pathname;

/**
 * Builds the images for the Kubernetes test in `folder`, and returns the paths of their archives.
 * The image of `rehearse` contains the `deno` program of this machine, its shared libraries, the
 * source, and the npm packages that the source imports. It contains no output of `deno compile`,
 * which needs a base program that cannot be downloaded everywhere. Like the image that the
 * Dockerfile builds, it has neither a shell nor a package manager. It also contains this machine's
 * `nats-server`.
 */
export async function buildTestImages(folder: string, kubeBin: string): Promise<string[]> {
  const root = `${folder}/rehearse`;
  await Deno.mkdir(`${root}/app`, { recursive: true });
  await Deno.mkdir(`${root}/tmp`, { recursive: true });
  await Deno.chmod(`${root}/tmp`, 0o1777);
  await copyProgram(Deno.execPath(), root, "/usr/bin/deno");
  await copyProgram("/usr/sbin/nats-server", root, "/usr/bin/nats-server");
  for (const name of ["main.ts", "deno.json", "deno.lock", "src"]) {
    await run("cp", ["-r", `${ROOT}${name}`, `${root}/app/`]);
  }
  const cache = ["cache", "--frozen", "main.ts"];
  await run("env", ["-C", `${root}/app`, `DENO_DIR=${root}/deno`, Deno.execPath(), ...cache]);
  await run("chmod", ["-R", "a+rX", root]);
  await writeImage(`${folder}/rehearse.tar`, {
    names: [TEST_IMAGE],
    root,
    entrypoint: ["/usr/bin/deno", "run", "-A", "--no-prompt", "--cached-only", "/app/main.ts"],
    env: ["PATH=/usr/bin", "DENO_DIR=/deno", "DENO_NO_UPDATE_CHECK=1", "NO_COLOR=1"],
  });
  const pause = `${folder}/pause`;
  await Deno.mkdir(pause);
  await Deno.copyFile(`${kubeBin}/pause`, `${pause}/pause`);
  await writeImage(`${folder}/pause.tar`, {
    names: [PAUSE_IMAGE],
    root: pause,
    entrypoint: ["/pause"],
  });
  return [`${folder}/pause.tar`, `${folder}/rehearse.tar`];
}
