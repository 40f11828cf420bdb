import { plural } from "../../base/format.ts";
import type { TimeSpan, TrafficProfile } from "../../traffic/accesslog/profile/traffic_profile.ts";
import { type LocalTimes, WEEKDAYS } from "./local_times.ts";
import { type Markup, markup } from "../markup.ts";

const HOURS = 24;
/** Size of a cell, and of the labels on the left and at the top, in pixels. */
const [CELL_WIDTH, CELL_HEIGHT, LEFT, TOP] = [34, 20, 40, 18];
/** Minimum time span of a log, in seconds, for which the map is useful. */
const LEAST_SECONDS = 7_200;
/** Opacity of the faintest cell with requests, so that it is not mistaken for an empty one. */
const LEAST_OPACITY = 0.08;

/** Returns the number of requests for each weekday (0 is Monday) and hour. */
export function countByHour(profile: TrafficProfile, times: LocalTimes): number[][] {
  const counts = WEEKDAYS.map(() => new Array<number>(HOURS).fill(0));
  profile.forEachSecond((second, requests) => {
    const { weekday, hour } = times.weekHour(second);
    counts[weekday][hour] += requests;
  });
  return counts;
}

/**
 * Draws a heat map of the requests in each hour of the week, in the time zone of `times`. Returns
 * undefined for a log of less than two hours.
 */
export function heatMap(
  profile: TrafficProfile,
  span: TimeSpan,
  times: LocalTimes,
): Markup | undefined {
  if (span.seconds < LEAST_SECONDS) return undefined;
  const counts = countByHour(profile, times);
  const most = Math.max(...counts.flat());
  const [width, height] = [LEFT + HOURS * CELL_WIDTH, TOP + WEEKDAYS.length * CELL_HEIGHT];
  const hours = Array.from(
    { length: HOURS / 2 },
    (_, i) => markup`<text x="${LEFT + 2 * i * CELL_WIDTH}" y="${TOP - 6}">${2 * i}</text>`,
  );
  const days = WEEKDAYS.map((day, i) =>
    markup`<text x="0" y="${TOP + i * CELL_HEIGHT + 14}">${day.slice(0, 3)}</text>`
  );
  const cells = counts.flatMap((row, day) =>
    row.map((count, hour) => cell(day, hour, count, count / most))
  );
  return markup`
    <div class="scroll" tabindex="0" role="region" aria-label="Requests by hour and weekday">
      <svg class="heat" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"
        role="img" aria-label="${describe(counts, most)}">
        ${hours}${days}${cells}
      </svg>
    </div>
  `;
}

function cell(day: number, hour: number, count: number, share: number): Markup {
  const opacity = count === 0 ? 0 : LEAST_OPACITY + (1 - LEAST_OPACITY) * Math.sqrt(share);
  const [x, y] = [LEFT + hour * CELL_WIDTH, TOP + day * CELL_HEIGHT];
  const title = `${WEEKDAYS[day]} ${hour}:00 to ${hour + 1}:00: ${plural(count, "request")}`;
  return markup`
    <rect x="${x}" y="${y}" width="${CELL_WIDTH - 1}" height="${CELL_HEIGHT - 1}"
      fill-opacity="${opacity.toFixed(2)}" data-count="${count}"><title>${title}</title></rect>
  `;
}

function describe(counts: readonly (readonly number[])[], most: number): string {
  const day = counts.findIndex((row) => row.includes(most));
  const hour = counts[day].indexOf(most);
  return `Requests by hour and weekday. The peak is ${plural(most, "request")}, on ${
    WEEKDAYS[day]
  } from ${hour}:00 to ${hour + 1}:00.`;
}
