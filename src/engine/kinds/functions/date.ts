import { durationMs } from "../../../base/format.ts";
import { isNumber } from "../../../base/exact_number.ts";
import { type DateField, parseDatePattern } from "../../../plan/kinds/functions/date_format.ts";
import { TemplateFault } from "../../vu/flow_end.ts";
import { type FunctionRuntime, shown, toText } from "./function_runtime.ts";

/** `date()` function: formats the current time plus an optional offset. */
export const date: FunctionRuntime = {
  pure: false,
  call([format, offset]) {
    const time = new Date(Date.now() + (offset === undefined ? 0 : offsetMs(offset)));
    if (Number.isNaN(time.getTime())) throw new TemplateFault("date(): the time is out of range");
    return formatTime(time, toText(format));
  },
};

function offsetMs(offset: unknown): number {
  if (isNumber(offset)) return Number(offset) * 1_000;
  const [, sign, duration] = /^([+-]?)(.*)$/s.exec(String(offset))!;
  const ms = durationMs(duration);
  if (ms === undefined) throw new TemplateFault(`date(): not a duration: ${shown(offset)}`);
  return sign === "-" ? -ms : ms;
}

/** Formats a time in UTC. Throws TemplateFault if the format is unknown. */
export function formatTime(time: Date, format: string): string | number {
  switch (format) {
    case "iso":
      return time.toISOString();
    case "http":
      return time.toUTCString();
    case "unix":
      return Math.floor(time.getTime() / 1_000);
    case "unix_ms":
      return time.getTime();
  }
  const parts = parseDatePattern(format);
  if (parts === undefined) throw new TemplateFault(`date(): unknown format ${shown(format)}`);
  return parts.map((part) => "text" in part ? part.text : FIELDS[part.field](time)).join("");
}

const FIELDS: Readonly<Record<DateField, (time: Date) => string>> = {
  yyyy: (time) => String(time.getUTCFullYear()).padStart(4, "0"),
  MM: (time) => two(time.getUTCMonth() + 1),
  dd: (time) => two(time.getUTCDate()),
  HH: (time) => two(time.getUTCHours()),
  mm: (time) => two(time.getUTCMinutes()),
  ss: (time) => two(time.getUTCSeconds()),
  SSS: (time) => String(time.getUTCMilliseconds()).padStart(3, "0"),
};

function two(value: number): string {
  return String(value).padStart(2, "0");
}
