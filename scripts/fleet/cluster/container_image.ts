/** Contents of a container image with one layer. */
export interface ContainerImage {
  /** Image names, each with a tag. All of them refer to the same content. */
  readonly names: readonly string[];
  /** Folder whose content becomes the root of the file system. */
  readonly root: string;
  readonly entrypoint: readonly string[];
  readonly env?: readonly string[];
}

/**
 * Writes an image as a Docker archive to `path`. `ctr images import` and `docker load` can read the
 * archive. Needs `tar` and `sha256sum`. Uses `path.layer` as a temporary file.
 */
export async function writeImage(path: string, image: ContainerImage): Promise<void> {
  const layer = `${path}.layer`;
  await run("tar", ["--owner=0", "--group=0", "-C", image.root, "-cf", layer, "."]);
  const [digest] = (await run("sha256sum", [layer])).split(" ");
  const config = JSON.stringify({
    architecture: Deno.build.arch === "x86_64" ? "amd64" : "arm64",
    os: "linux",
    config: { Entrypoint: image.entrypoint, Env: image.env ?? [], WorkingDir: "/" },
    rootfs: { type: "layers", diff_ids: [`sha256:${digest}`] },
    history: [{ created_by: "scripts/fleet" }],
  });
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/config.json`, config);
    await Deno.rename(layer, `${folder}/layer.tar`).catch(async () => {
      await Deno.copyFile(layer, `${folder}/layer.tar`);
      await Deno.remove(layer);
    });
    const manifest = [{ Config: "config.json", RepoTags: image.names, Layers: ["layer.tar"] }];
    await Deno.writeTextFile(`${folder}/manifest.json`, JSON.stringify(manifest));
    await run("tar", ["-C", folder, "-cf", path, "manifest.json", "config.json", "layer.tar"]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/**
 * Copies a program and the shared libraries that it needs into the folder `root`, at the same
 * paths. `target` is the path of the program in the image.
 */
export async function copyProgram(program: string, root: string, target: string): Promise<void> {
  await copyInto(await Deno.realPath(program), root, target);
  const listed = await run("ldd", [program]);
  for (const [, path] of listed.matchAll(/(\/\S+) \(0x/g)) await copyInto(path, root, path);
}

async function copyInto(path: string, root: string, target: string): Promise<void> {
  await Deno.mkdir(`${root}${target.replace(/\/[^/]*$/, "")}`, { recursive: true });
  await Deno.copyFile(path, root + target);
}

/** Runs a program and returns its standard output. Throws an Error if it fails. */
export async function run(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, {
    args: [...args],
    env: { ...env },
    stdin: "null",
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  if (success) return text(stdout);
  throw new Error(`${program} ${args.join(" ")} failed: ${text(stderr) || text(stdout)}`);
}
