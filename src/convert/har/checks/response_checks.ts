import type { Condition } from "../../../plan/kinds/conditions/conditions.ts";
import { isRedirect, type ReadBody, readBody } from "../../../correlation/compared_response.ts";
import type { RecordedResponse } from "../../../traffic/har/recording.ts";
import type { CheckLevel } from "./check_level.ts";
import { headChecks, statusChecks } from "./head_checks.ts";
import { jsonChecks } from "./json_checks.ts";
import { pageChecks } from "./page_checks.ts";
import type { MaskValues } from "./shape_pattern.ts";
import { xmlChecks } from "./xml_checks.ts";

/**
 * Returns the checks for a recorded response. Level `response` checks everything that
 * `compareResponses` compares, as far as the plan language can express it. It does not check
 * whether a member such as `status` reports success. `mask` hides the values that differ from run
 * to run.
 */
export function recordedChecks(
  response: RecordedResponse,
  level: CheckLevel,
  mask: MaskValues,
): Condition[] {
  return {
    status: () => statusChecks(response),
    response: () => [
      ...statusChecks(response),
      ...headChecks(response, mask),
      ...bodyChecks(response, mask),
    ],
  }[level]();
}

function bodyChecks(response: RecordedResponse, mask: MaskValues): Condition[] {
  if (isRedirect(response) || [0, 204, 205, 304].includes(response.status)) return [];
  const body = readBody(response);
  return body === undefined ? [] : BODY_CHECKS[body.form](body, mask);
}

const BODY_CHECKS: Readonly<
  Record<ReadBody["form"], (body: ReadBody, mask: MaskValues) => Condition[]>
> = {
  json: ({ json, isGuarded }, mask) => isGuarded ? notEmpty() : jsonChecks(json, mask),
  page: ({ text }, mask) => pageChecks(text, mask),
  xml: ({ text }, mask) => xmlChecks(text, mask),
  text: () => notEmpty(),
};

function notEmpty(): Condition[] {
  return [{ type: "size", name: "not empty", min: 1 }];
}
