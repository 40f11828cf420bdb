import type { KnownPairs } from "../correlation/known_pairs.ts";
import type { Trace } from "../outcome/work.ts";
import type { Request } from "../plan/kinds/request.ts";
import { requestTexts } from "../plan/request_texts.ts";
import { percentDecodedText } from "../traffic/session/call_url.ts";
import type { RecordedCall } from "../traffic/session/recorded_call.ts";
import {
  type CallPlace,
  callPlaces,
  isHeader,
  isRelevant,
} from "../verify/recorded/call_places.ts";

/** What a write sent, compared with the recorded request. */
export interface ComparedSent {
  /** Descriptions of what is missing or different. Empty if the write sent what it should. */
  readonly differences: readonly string[];
  /** Texts of the body, as recorded and live. */
  readonly traces: readonly Trace[];
}

/** Maximum number of differences that are listed for one request. */
const MOST = 5;
/** Values below this length are equal to others by chance. In UTF-16 code units. */
const SHORTEST = 4;

/**
 * Compares a sent write with the recorded request, place by place. A place differs if it is not
 * sent, if the plan contains another literal, or if it sends the live value of another recorded
 * value. `known` must not yet contain the values of this request.
 */
export function compareSent(
  recorded: RecordedCall,
  sent: RecordedCall,
  planned: Request,
  known: KnownPairs,
): ComparedSent {
  const live = callPlaces(sent, (name) => known.toRecorded(name));
  const differences: string[] = [];
  const traces: Trace[] = [];
  for (const [place, own] of callPlaces(recorded)) {
    if (!isRelevant(place)) continue;
    const other = live.get(place);
    if (isHeader(place) && other === undefined) continue; // A run sends only the headers it needs.
    if (!/^(?:path|query|header) /.test(place) && !own.isFile && other !== undefined) {
      traces.push({ recorded: own.text, live: other.text });
    }
    const difference = differenceAt(own, other, planned, known);
    if (difference !== undefined) differences.push(`\`${place}\` ${difference}`);
  }
  return { differences: differences.slice(0, MOST), traces };
}

function differenceAt(
  { text, isFile }: CallPlace,
  live: CallPlace | undefined,
  planned: Request,
  known: KnownPairs,
): string | undefined {
  if (live === undefined) return "is not sent";
  if (live.text === text) return undefined;
  if (live.text === "") return "is sent empty";
  if (isFile) return undefined; // A placeholder has the place of the recorded file.
  if (known.toRecorded(live.text) === text || known.toLive(text) === live.text) return undefined;
  const other = live.text.length < SHORTEST ? undefined : known.recordedOf(live.text);
  if (other !== undefined && other !== text) return "is sent with the value of another object";
  return isLiteral(live.text, planned) ? "is sent with another value than recorded" : undefined;
}

/** Reports whether a request of a plan contains a text as a literal, not as an expression. */
function isLiteral(text: string, planned: Request): boolean {
  if (/^(?:true|false|null)$/.test(text)) return true;
  return requestTexts(planned).some(({ template }) =>
    template === text || percentDecodedText(template, true) === text
  );
}
