/** Selects the samples of a metric that have all of the given tags. */
export interface Selector {
  readonly metric: string;
  readonly tags: readonly (readonly [tag: string, value: string])[];
}

const SHAPE = /^([^{}]*)(?:\{(.*)\})?$/s;
const TAG = /\s*([^:,"]*?)\s*:\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^,"']*?))\s*(?:,|$)/sy;

/**
 * Parses `metric` or `metric{tag:value,…}`. A value that contains a comma must be in quotes. Within
 * double quotes, `\"` is a literal quote. Throws a `SyntaxError` that states the expected form.
 */
export function parseSelector(text: string): Selector {
  const [, metric, inner] = SHAPE.exec(text.trim()) ?? [];
  if (metric === undefined || metric.trim() === "") {
    throw new SyntaxError("not a selector: expected a metric, or metric{tag:value,…}");
  }
  return { metric: metric.trim(), tags: inner === undefined ? [] : parseTags(inner) };
}

function parseTags(text: string): [string, string][] {
  const tags: [string, string][] = [];
  TAG.lastIndex = 0;
  while (TAG.lastIndex < text.length) {
    const at = TAG.lastIndex;
    const [, tag, double, single, bare] = TAG.exec(text) ?? [];
    if (!tag) {
      throw new SyntaxError(
        `"${text.slice(at)}" is not a tag: expected tag:value pairs, separated by commas`,
      );
    }
    tags.push([tag, double?.replace(/\\(.)/gs, "$1") ?? single ?? bare]);
  }
  return tags;
}
