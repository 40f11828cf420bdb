import { S3 } from "../../../src/storage/open_remote.ts";
import { sleep } from "./checks.ts";

/** A MinIO server on this machine. */
export interface Minio {
  readonly store: S3;
  /** Environment variables that a client needs to connect to the server. */
  readonly variables: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Starts MinIO on 127.0.0.1 with its data in `folder`, and creates `buckets`. */
export async function startMinio(
  { program, folder, port, buckets }: {
    readonly program: string;
    readonly folder: string;
    readonly port: number;
    readonly buckets: readonly string[];
  },
): Promise<Minio> {
  const [accessKeyId, secretAccessKey] = ["rehearse", "rehearse-secret"];
  const endpoint = `http://127.0.0.1:${port}`;
  const child = new Deno.Command(program, {
    args: ["server", folder, "--address", `127.0.0.1:${port}`, "--quiet"],
    env: { MINIO_ROOT_USER: accessKeyId, MINIO_ROOT_PASSWORD: secretAccessKey },
    stdout: "null",
    stderr: "null",
  }).spawn();
  const store = new S3({
    region: "us-east-1",
    endpoint,
    credentials: { accessKeyId, secretAccessKey },
  });
  for (const bucket of buckets) {
    // In S3, a PUT request without a key creates a bucket.
    const create = () => store.put({ bucket, key: "" }, new Uint8Array());
    for (let attempt = 0;; attempt++) {
      if (await create().then(() => true, () => false)) break;
      if (attempt === 100) await create();
      await sleep(200);
    }
  }
  return {
    store,
    variables: {
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_REGION: "us-east-1",
      AWS_ENDPOINT_URL: endpoint,
    },
    async stop() {
      child.kill("SIGTERM");
      await child.status;
    },
  };
}
