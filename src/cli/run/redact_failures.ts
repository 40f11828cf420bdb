import type { Redactor } from "../../base/redactor.ts";
import type { Progress } from "../../engine/progress.ts";
import type { FailureStats } from "../../engine/summary/flow_stats.ts";

/**
 * Returns the progress of a run without secrets. Hides them in the messages of errors and in the
 * failures, including their sample requests and responses.
 */
export function redactProgress(progress: Progress, redact: Redactor): Progress {
  if (progress.details === undefined) return progress;
  const { errors, failures, ...details } = progress.details;
  return {
    ...progress,
    details: {
      ...details,
      errors: errors.map((error) => ({ ...error, message: redact(error.message) })),
      ...(failures && { failures: failures.map((failure) => redactFailure(failure, redact)) }),
    },
  };
}

/**
 * Hides the secrets in the message of a failure, and in the request and response that it contains
 * as a sample.
 */
export function redactFailure(failure: FailureStats, redact: Redactor): FailureStats {
  const { message, sample } = failure;
  const hide = <T extends { readonly headers: readonly string[]; readonly body?: string }>(
    of: T,
  ) => ({
    ...of,
    headers: of.headers.map(redact),
    ...(of.body !== undefined && { body: redact(of.body) }),
  });
  return {
    ...failure,
    ...(message !== undefined && { message: redact(message) }),
    ...(sample && {
      sample: {
        request: { ...hide(sample.request), url: redact(sample.request.url) },
        ...(sample.response && { response: hide(sample.response) }),
      },
    }),
  };
}
