import { asText } from "../base/exact_json.ts";
import { isMap } from "../base/exact_number.ts";
import { type ComparedResponse, readBody } from "../correlation/compared_response.ts";
import { formatPath } from "../correlation/propose_json.ts";
import type { JsonPath } from "../correlation/views.ts";
import { readMarkup } from "./read_markup.ts";

/** A text that a response contains, and its place. */
export interface Leaf {
  readonly text: string;
  /** Place for reports: a JSONPath such as `$.items[0].state`, an element such as `<td>`, a line. */
  readonly place: string;
  /**
   * Place without indexes and generated names, such as `$.items[].state`. For a page: the names of
   * the elements. Empty for a line of plain text.
   */
  readonly path: string;
  /** Path of the list item, table row or option of a page that contains the text. */
  readonly item?: string;
  /** True if the place indicates an error. */
  readonly inError: boolean;
  /** False for a number, a boolean or null in JSON. */
  readonly isText: boolean;
}

/** A list or an object in JSON. */
export interface Container {
  readonly steps: JsonPath;
  readonly place: string;
  readonly path: string;
  /** Number of items or members. */
  readonly size: number;
  readonly isList: boolean;
}

/** The contents of a response of any type. */
export interface Contents {
  readonly leaves: readonly Leaf[];
  /** The lists and objects of a JSON body. */
  readonly containers: readonly Container[];
  /**
   * Distinct paths of JSON members, or of elements with text, and the names of form fields. Empty
   * for plain text.
   */
  readonly structure: ReadonlySet<string>;
}

/** Maximum nesting depth for which lists and objects, and the paths of texts, are listed. */
const DEEPEST = 200;
/** Matches the path of a string in a list item, a table row or an option. */
const IN_ITEM = /^.*\/(?:li|option|tr(?=\/td(?:\/|$)))(?=\/|$)/;
/** Matches the name of a JSON member that contains an error. */
const ERROR = /^(?:errors?|error_?(?:code|message|description))$/i;
/** Matches the name of a JSON member that explains an error in a sibling member. */
const EXPLANATION = /^(?:message|msg|details?|description|reason)$/i;
const NONE: Contents = { leaves: [], containers: [], structure: new Set() };

/** Returns the contents of the body of a response. Omits scripts, styles and the title of pages. */
export function readContents(response: ComparedResponse): Contents {
  const body = readBody(response);
  if (body === undefined) return NONE;
  if (body.form === "json") return jsonContents(body.json);
  if (body.form === "text") {
    const leaves = body.text.split("\n").map((line, i) => ({
      text: line.trim(),
      place: `line ${i + 1}`,
      path: "",
      inError: false,
      isText: true,
    }));
    return { ...NONE, leaves };
  }
  return markupContents(body.text, body.form === "xml");
}

/** Returns the contents of a page, or of an XML document if `xml` is true. */
export function markupContents(markup: string, xml: boolean): Contents {
  const { texts, paths, fields } = readMarkup(markup, xml);
  const leaves = texts.map(({ text, path, inError }) => {
    const [item] = IN_ITEM.exec(path) ?? [];
    const place = elementOf(item ?? path);
    return { text, place, path, inError, isText: true, ...(item !== undefined && { item }) };
  });
  const structure = new Set([...paths.keys(), ...texts.map(({ path }) => path), ...fields]);
  return { leaves, containers: [], structure };
}

function elementOf(path: string): string {
  return `<${path.slice(path.lastIndexOf("/") + 1)}>`;
}

interface Node {
  readonly steps: JsonPath;
  readonly value: unknown;
  readonly place: string;
  readonly path: string;
  readonly depth: number;
  readonly inError: boolean;
}

/** Uses a stack, because JSON may be nested deeply. */
function jsonContents(json: unknown): Contents {
  const leaves: Leaf[] = [];
  const containers: Container[] = [];
  const structure = new Set<string>();
  const root = { value: json, steps: [], place: "$", path: "$", inError: false };
  const stack: Node[] = [{ ...root, depth: 0 }];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const { value, steps, place, path, depth, inError } = node;
    const isList = Array.isArray(value);
    if (depth <= DEEPEST) structure.add(path);
    if (!isList && !isMap(value)) {
      const text = value === null ? "" : asText(value);
      leaves.push({ text, place, path, inError, isText: typeof value === "string" });
      continue;
    }
    const members = Object.entries(value);
    if (depth <= DEEPEST) containers.push({ steps, place, path, size: members.length, isList });
    const hasError = members.some(([name, one]) => ERROR.test(name) && Boolean(one));
    const inner = members.map(([name, one]): Node => {
      const step = isList ? Number(name) : name;
      return {
        value: one,
        ...(depth < DEEPEST
          ? {
            steps: [...steps, step],
            place: place + formatPath([step]).slice(1),
            path: path + (isList ? "[]" : `.${/\d/.test(name) ? "#" : name}`),
          }
          : { steps, place, path }),
        depth: depth + 1,
        inError: inError || (!isList && (ERROR.test(name) || hasError && EXPLANATION.test(name))),
      };
    });
    for (const one of inner.reverse()) stack.push(one);
  }
  return { leaves, containers, structure };
}
