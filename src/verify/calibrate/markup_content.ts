import type { KnownPairs } from "../../correlation/known_pairs.ts";
import { matchSequences } from "../../correlation/match.ts";
import { markupTexts, type VisibleText } from "../../outcome/visible_texts.ts";
import type { ContentDifference } from "./content_difference.ts";
import { contentShape, hasWords, sameContent } from "./content_shape.ts";

/** Matches the path of a string in a list item, a table row or an option. */
const IN_ITEM = /^.*\/(?:li|option|tr(?=\/td(?:\/|$)))(?=\/|$)/;

/** A visible string, and the shape of its content, which is used for comparisons. */
interface Content extends Pick<VisibleText, "text" | "path"> {
  readonly shape: string;
}

/**
 * Finds the visible strings of a recorded page, or of an XML document if `xml` is true, that the
 * live document does not contain, and the lists that are empty in the live document. Ignores
 * generated values, additional strings and strings that only moved. Recorded values whose live
 * value is in `known` do not count as different.
 */
export function findMarkupContent(
  recorded: string,
  live: string,
  xml: boolean,
  known: KnownPairs,
): ContentDifference[] {
  if (recorded === live) return [];
  const texts = markupTexts(recorded, xml).map((one) => toContent(one, known.toLive(one.text)));
  const liveTexts = markupTexts(live, xml).map((one) => toContent(one, one.text));
  const isLive = contained(liveTexts);
  const emptied = emptiedLists(texts, liveTexts, isLive);
  const items = new Set(emptied.flat());
  return [
    ...emptied.map((own): ContentDifference => ({
      kind: "empty list",
      place: elementOf(itemPath(own[0])!),
      recorded: own.map(({ text }) => text).join(" "),
      live: "",
    })),
    ...differingTexts(texts, liveTexts, elementOf).filter(({ item }) => !items.has(item))
      .map(({ difference }) => difference),
  ];
}

/**
 * Finds the lines of recorded plain text that the live text does not contain. Ignores the same
 * differences as `findMarkupContent`.
 */
export function findTextContent(
  recorded: string,
  live: string,
  known: KnownPairs,
): ContentDifference[] {
  if (recorded === live) return [];
  const lines = (text: string) =>
    text.split("\n").map((line, i) => ({ text: line.trim(), path: `line ${i + 1}` }));
  const texts = lines(recorded).map((one) => toContent(one, known.toLive(one.text)));
  const liveTexts = lines(live).map((one) => toContent(one, one.text));
  return differingTexts(texts, liveTexts, (path) => path).map(({ difference }) => difference);
}

function toContent({ text, path }: Pick<VisibleText, "text" | "path">, expected: string): Content {
  return { text, path, shape: contentShape(expected) };
}

function contained(texts: readonly Content[]): (shape: string) => boolean {
  const shapes = new Set(texts.map(({ shape }) => shape));
  return (shape) => shapes.has(shape);
}

/**
 * Finds the recorded lists whose items are all missing from the live document, and returns each
 * list's strings.
 */
function emptiedLists(
  texts: readonly Content[],
  liveTexts: readonly Content[],
  isLive: (shape: string) => boolean,
): Content[][] {
  const live = new Set(liveTexts.map(itemPath));
  const lists = Map.groupBy(texts, itemPath);
  lists.delete(undefined);
  return [...lists].filter(([path, own]) => {
    const named = own.filter(({ shape }) => hasWords(shape));
    return !live.has(path) && named.length > 0 && !named.some(({ shape }) => isLive(shape));
  }).map(([, own]) => own);
}

function itemPath({ path }: Content): string | undefined {
  return IN_ITEM.exec(path)?.[0];
}

function elementOf(path: string): string {
  return `<${path.slice(path.lastIndexOf("/") + 1)}>`;
}

/**
 * Returns the recorded strings that the live document does not contain, each with the live string
 * in its place, or with an empty string if it is unclear which live string that is.
 */
function differingTexts(
  texts: readonly Content[],
  liveTexts: readonly Content[],
  placeOf: (path: string) => string,
): { readonly item: Content; readonly difference: ContentDifference }[] {
  const ids = new Map<string, number>();
  const idOf = ({ shape }: Content) => {
    if (!ids.has(shape)) ids.set(shape, ids.size);
    return ids.get(shape)!;
  };
  const { gaps } = matchSequences(texts.map(idOf), liveTexts.map(idOf));
  if (gaps.length === 0) return [];
  const [isLive, isRecorded] = [contained(liveTexts), contained(texts)];
  return gaps.flatMap(({ a, b }) => {
    const missing = texts.slice(...a).filter(({ shape }) => hasWords(shape) && !isLive(shape));
    const added = liveTexts.slice(...b).filter(({ shape }) => !isRecorded(shape));
    const isPaired = missing.length === added.length;
    return missing.flatMap((item, i) => {
      const live = isPaired ? added[i].text : "";
      if (isPaired && sameContent(item.text, live)) return [];
      const place = placeOf(item.path);
      return [{ item, difference: { kind: "other" as const, place, recorded: item.text, live } }];
    });
  });
}
