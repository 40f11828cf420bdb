/** What the checks of a plan compare with the recording: only the status, or the whole response. */
export const CHECK_LEVELS = ["status", "response"] as const;

/** What the checks of a plan compare with the recording: only the status, or the whole response. */
export type CheckLevel = typeof CHECK_LEVELS[number];
