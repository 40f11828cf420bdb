import { InputError } from "../../base/errors.ts";
import { listRequests, mapSteps } from "../../plan/kinds/list_requests.ts";
import type { Request } from "../../plan/kinds/request.ts";
import type { Step } from "../../plan/kinds/steps.ts";
import type { Plan } from "../../plan/schema/plan.ts";

/** A file to send in a field of multipart bodies. `path` is relative to the plan. */
export interface UploadFile {
  readonly field: string;
  readonly path: string;
}

/**
 * Makes a plan send files in place of recorded or rebuilt contents of multipart fields. Keeps the
 * recorded names and types. Throws InputError if no request has a field with the name.
 */
export function withUploadFiles(plan: Plan, files: readonly UploadFile[]): Plan {
  if (files.length === 0) return plan;
  const requests = Object.values(plan.scenarios).flatMap(({ flow }) => [...listRequests(flow)]);
  const fields = requests.flatMap((request) => partsOf(request).map(({ name }) => name));
  for (const { field, path } of files) {
    if (fields.includes(field)) continue;
    const known = fields.length === 0
      ? "it has no multipart body"
      : `its multipart fields are ${[...new Set(fields)].join(", ")}`;
    throw new InputError(
      `no request of the plan sends a field ${JSON.stringify(field)}: ${known}`,
      {
        source: path,
      },
    );
  }
  const changed = (step: Step): Step => {
    if (step.request === undefined || partsOf(step.request).length === 0) return step;
    const multipart = partsOf(step.request).map((part) => {
      const file = files.find(({ field }) => field === part.name);
      if (file === undefined) return part;
      const { value: _, base64: __, ...rest } = part;
      return { ...rest, file: file.path };
    });
    return { ...step, request: { ...step.request, body: { multipart } } } as Step;
  };
  return {
    ...plan,
    scenarios: Object.fromEntries(
      Object.entries(plan.scenarios).map(([name, scenario]) => [
        name,
        { ...scenario, flow: mapSteps(scenario.flow, changed) },
      ]),
    ),
  };
}

function partsOf({ body }: Request) {
  return typeof body === "object" ? body.multipart ?? [] : [];
}
