/**
 * Formats a duration in milliseconds for k6, without rounding: `1m30s`, `250ms`, `1.5ms`.
 */
export function formatDuration(ms: number): string {
  if (ms <= 0) return "0s";
  const whole = Math.floor(ms / 1_000);
  const [hours, minutes, seconds] = [
    Math.floor(whole / 3_600),
    Math.floor(whole / 60) % 60,
    whole % 60,
  ];
  const rest = Number((ms - whole * 1_000).toFixed(6));
  const parts: [number, string][] = [[hours, "h"], [minutes, "m"], [seconds, "s"], [rest, "ms"]];
  return parts.filter(([n]) => n > 0).map(([n, unit]) => `${n}${unit}`).join("");
}

/** Formats milliseconds as a number of seconds, the unit of `sleep` in k6. */
export function secondsText(ms: number): string {
  return String(Number((ms / 1_000).toFixed(9)));
}
