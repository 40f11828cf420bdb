import { safeSnippet } from "../../base/safe_text.ts";
import { plural } from "../../base/plural.ts";
import { figure, percent } from "../../report/text/units.ts";
import type { LogComparison } from "../../verify/log/compare_with_log.ts";

/** What a comparison comes to. */
export function comparisonVerdict({ asTheLog, mix, rate, answers }: LogComparison): string {
  const others = answers.beyondChance ? "; but the responses are of other kinds, see below" : "";
  if (asTheLog) return `as the log: the run's requests had the log's mix and rate${others}`;
  const faults = [
    mix.beyondChance && `another mix, most of all ${safeSnippet(mix.endpoints[0].endpoint, 44)} ` +
      `(${percent(mix.endpoints[0].run)}, ${percent(mix.endpoints[0].log)} in the log)`,
    rate.differs && `${figure(rate.run / rate.log)} times the log's rate`,
  ];
  return `not as the log: ${faults.filter((fault) => fault !== false).join("; ")}`;
}

function chance(isBeyond: boolean, requests: number): string {
  return isBeyond
    ? `more than chance makes in ${plural(requests, "request")}`
    : `no more than chance makes in ${plural(requests, "request")}`;
}

/** Each side of a comparison, in words. */
export function comparisonAspects(found: LogComparison): [aspect: string, words: string][] {
  const { mix, rate, answers, covered, requests, dropped } = found;
  const lost = dropped > 0 ? `; ${plural(dropped, "iteration")} could not be started` : "";
  return [
    [
      "mix",
      `${percent(mix.share)} of the requests went elsewhere than in the log: ${
        chance(mix.beyondChance, requests)
      }`,
    ],
    ["rate", `${figure(rate.run)} requests/s, ${figure(rate.log)}/s in the log${lost}`],
    ["in time", `at most ${percent(found.inTime)} came earlier or later than in the log`],
    [
      "answers",
      `${percent(answers.share)} are of another kind: ${
        answers.classes.map(({ status, log, run }) => `${status} ${percent(run)} (${percent(log)})`)
          .join(", ")
      }`,
    ],
    [
      "covered",
      `${percent(covered.share)} of the log's requests went to endpoints of the plan ` +
      `(${covered.endpoints} of ${covered.ofEndpoints})`,
    ],
  ];
}
