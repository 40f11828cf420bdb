import type { Plan } from "./schema/plan.ts";
import type { Request } from "./kinds/steps/steps.ts";
import { listRequests } from "./kinds/steps/list_requests.ts";

/** Returns the paths of the files that a plan reads, as written in the plan. */
export function filesRead({ data = {}, secrets = {}, defaults, scenarios }: Plan): string[] {
  const { ca_file, cert_file, key_file } = defaults?.http?.tls ?? {};
  const requests = Object.values(scenarios).flatMap(({ flow }) => [...listRequests(flow)]);
  return [
    ...Object.values(data).map((feeder) => "path" in feeder ? feeder.path : undefined),
    ...Object.values(secrets).map((secret) => "file" in secret ? secret.file : undefined),
    ...[ca_file, cert_file, key_file],
    ...requests.flatMap(bodyFiles),
  ].filter((path) => path !== undefined);
}

/** Returns the paths of the files that the outputs of a plan write, as written in the plan. */
export function filesWritten({ outputs = [] }: Plan): string[] {
  return outputs.flatMap((output) => "path" in output ? [output.path] : []);
}

function bodyFiles({ body }: Request): (string | undefined)[] {
  if (typeof body !== "object") return [];
  const parts = "multipart" in body ? body.multipart ?? [] : [];
  return ["file" in body ? body.file : undefined, ...parts.map(({ file }) => file)];
}
