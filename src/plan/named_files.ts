import { bodyFiles } from "./kinds/bodies/bodies.ts";
import { outputVariant } from "./kinds/outputs/outputs.ts";
import type { Plan } from "./schema/plan.ts";
import { allFlows, listRequests } from "./kinds/steps/list_requests.ts";

/**
 * Returns the paths of all files that a plan reads (data, secrets, certificates and bodies), as
 * written in the plan.
 */
export function filesRead(plan: Plan): string[] {
  const { data = {}, scenarios, secrets = {}, defaults } = plan;
  const { ca_file, cert_file, key_file } = defaults?.http?.tls ?? {};
  const requests = allFlows(plan).flatMap((flow) => [...listRequests(flow)]);
  return [
    ...Object.values(data).map((feeder) => "path" in feeder ? feeder.path : undefined),
    ...Object.values(scenarios).map((one) => "path" in one ? one.path : undefined),
    ...Object.values(secrets).map((secret) => "file" in secret ? secret.file : undefined),
    ...[ca_file, cert_file, key_file],
    ...requests.flatMap(({ body }) => body === undefined ? [] : bodyFiles(body)),
  ].filter((path) => path !== undefined);
}

/**
 * Returns the paths of the files that contain a plan's secrets: its `secrets` and the private key
 * of its client certificate, as written in the plan.
 */
export function secretFiles({ secrets = {}, defaults }: Plan): string[] {
  return [
    ...Object.values(secrets).map((secret) => "file" in secret ? secret.file : undefined),
    defaults?.http?.tls?.key_file,
  ].filter((path) => path !== undefined);
}

/** Returns the paths of all files that the outputs of a plan write, as written in the plan. */
export function filesWritten({ outputs = [] }: Plan): string[] {
  return outputs.flatMap((output) => outputVariant(output).files(output));
}
