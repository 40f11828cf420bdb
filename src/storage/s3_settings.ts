import { UsageError } from "../base/errors.ts";

/** Settings for access to an object store. */
export interface S3Settings {
  readonly region: string;
  /**
   * URL of a server other than Amazon S3, without a trailing slash. Bucket names are appended to
   * its path.
   */
  readonly endpoint?: string;
  /** Credentials for signing requests. Absent for public buckets. */
  readonly credentials?: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
}

/** Environment variables that `readS3Settings` reads. The AWS tools use the same names. */
export const S3_VARIABLES = [
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "AWS_REGION",
  "AWS_DEFAULT_REGION",
  "AWS_ENDPOINT_URL_S3",
  "AWS_ENDPOINT_URL",
] as const;

/**
 * Reads the settings from environment variables. Throws `UsageError` if they are incomplete or the
 * endpoint is not an HTTP URL.
 */
export function readS3Settings(
  variable: (name: string) => string | undefined = (name) => Deno.env.get(name),
): S3Settings {
  const read = (...names: (typeof S3_VARIABLES)[number][]) =>
    names.map((name) => variable(name)).find((value) => value !== undefined && value !== "");
  const accessKeyId = read("AWS_ACCESS_KEY_ID");
  const secretAccessKey = read("AWS_SECRET_ACCESS_KEY");
  const sessionToken = read("AWS_SESSION_TOKEN");
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined)) {
    throw new UsageError(
      "set both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or neither for a public bucket",
    );
  }
  const endpoint = read("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")?.replace(/\/+$/, "");
  if (endpoint !== undefined && !/^https?:\/\/[^/?#@]+(?:\/[^?#]*)?$/.test(endpoint)) {
    throw new UsageError("AWS_ENDPOINT_URL must be a URL such as http://127.0.0.1:9000");
  }
  return {
    region: read("AWS_REGION", "AWS_DEFAULT_REGION") ?? "us-east-1",
    ...(endpoint !== undefined && { endpoint }),
    ...(accessKeyId !== undefined && {
      credentials: {
        accessKeyId,
        secretAccessKey: secretAccessKey!,
        ...(sessionToken !== undefined && { sessionToken }),
      },
    }),
  };
}
