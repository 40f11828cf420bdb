import { type Duration, durationMs } from "../../../../base/format.ts";

/** Rates as whole numbers, which k6 requires, and their time unit. */
export interface WholeRates {
  readonly rates: readonly number[];
  /** Time unit of the rates, in milliseconds. */
  readonly unitMs: number;
}

/** Maximum number of decimal places of a rate. Rates are rounded to this precision. */
const MAX_PLACES = 9;

/**
 * Multiplies rates and their time unit by the smallest power of 10 that makes all rates whole, and
 * then divides both by their common factors.
 */
export function wholeRates(rates: readonly number[], timeUnit: Duration = "1s"): WholeRates {
  const places = Math.min(MAX_PLACES, Math.max(0, ...rates.map(decimalPlaces)));
  const scaled = rates.map((rate) => Math.round(rate * 10 ** places));
  const unitMs = durationMs(timeUnit)! * 10 ** places;
  if (places === 0 || !Number.isInteger(unitMs)) return { rates: scaled, unitMs };
  const factor = [...scaled, unitMs].reduce(greatestDivisor, 0);
  // The unit stays a multiple of a second, so that it is easy to read.
  const seconds = unitMs % 1_000 === 0 && (unitMs / factor) % 1_000 !== 0
    ? greatestDivisor(factor, unitMs / 1_000)
    : factor;
  return { rates: scaled.map((rate) => rate / seconds), unitMs: unitMs / seconds };
}

function decimalPlaces(rate: number): number {
  const [, fraction = "", exponent = "0"] = /^\d+(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(rate)) ??
    [];
  return Math.max(0, fraction.length - Number(exponent));
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}
