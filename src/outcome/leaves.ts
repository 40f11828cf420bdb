import { Parser } from "htmlparser2";
import { asText, isMap, parseExactJson } from "../base/exact_number.ts";
import {
  type BodyForm,
  type ComparedResponse,
  type ReadBody,
  readBody,
} from "../comparison/compared_response.ts";
import { formatPath } from "../correlation/propose_json.ts";
import { withoutValues } from "../comparison/align_text.ts";
import { MarkupError, MarkupLimits } from "../extract/parse_html.ts";
import { urlShape } from "./shapes.ts";

/** A text that a response contains, and its place. */
export interface Leaf {
  readonly text: string;
  /** For reports: a JSONPath such as `$.items[0].state`, an element such as `<td>`, or a line. */
  readonly place: string;
  /** Without indexes and generated names: `$.items[].state`, or the names of the elements. */
  readonly path: string;
  /** Path of the list item, table row or option of a page that contains the text. */
  readonly item?: string;
  readonly inError: boolean;
  /** False for a number, a boolean or null in JSON. */
  readonly isText: boolean;
}

export interface Contents {
  readonly leaves: readonly Leaf[];
  /** Distinct paths of JSON members, or of elements with text, and the names of form fields. */
  readonly structure: ReadonlySet<string>;
}

const DEEPEST_JSON = 200;
const IN_ITEM = /^.*\/(?:li|option|tr(?=\/td(?:\/|$)))(?=\/|$)/;
const ERROR = /^(?:errors?|error_?(?:code|message|description))$/i;
/** Matches the name of a JSON member that explains an error in a sibling member. */
const EXPLANATION = /^(?:message|msg|details?|description|reason)$/i;
const NONE: Contents = { leaves: [], structure: new Set() };

// A calibration compares each response with many others.
const bodies = new WeakMap<ComparedResponse, ReadBody | undefined>();
const contentsOfResponses = new WeakMap<ComparedResponse, Contents>();
const markupOfBodies = new WeakMap<ReadBody, Markup>();

/** Returns the same as `readBody`, but reads each response only once. */
export function bodyOf(response: ComparedResponse): ReadBody | undefined {
  return bodies.getOrInsertComputed(response, readBody);
}

/** Returns the contents of the body of a response. Omits scripts, styles and the title of pages. */
export function readContents(response: ComparedResponse): Contents {
  return contentsOfResponses.getOrInsertComputed(response, contentsOf);
}

function contentsOf(response: ComparedResponse): Contents {
  const body = bodyOf(response);
  return body === undefined ? NONE : CONTENTS[body.form](body);
}

const CONTENTS: Readonly<Record<BodyForm, (body: ReadBody) => Contents>> = {
  json: ({ json }) => jsonContents(json),
  page: markupOf,
  xml(body) {
    const markup = markupOf(body);
    return { ...markup, leaves: markup.leaves.flatMap(leavesWithin) };
  },
  text: ({ text }) => textContents(text),
};

/** Returns the texts of a part of a page that an XML document contains as text. */
function leavesWithin(leaf: Leaf): readonly Leaf[] {
  if (!/^<[a-zA-Z][^]*>$/.test(leaf.text)) return [leaf];
  return readMarkup(leaf.text, false).leaves.map(({ path, item, ...rest }) => ({
    ...rest,
    path: `${leaf.path}/${path}`,
    ...(item !== undefined && { item: `${leaf.path}/${item}` }),
  }));
}

function textContents(text: string): Contents {
  const literal = readLiteral(text);
  if (literal !== undefined) return jsonContents(literal);
  const leaves = text.split("\n").map((line, i) => ({
    text: line.trim(),
    place: `line ${i + 1}`,
    path: "",
    inError: false,
    isText: true,
  }));
  return { ...NONE, leaves };
}

const TOKEN =
  /\s*(?:"((?:[^"\\\n]|\\[^])*)"|'((?:[^'\\\n]|\\[^])*)'|(-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|([\p{L}_$][\p{L}\p{N}_$]*)|([[\]{}:,]))/uy;

/**
 * Reads a list or an object in JavaScript notation, such as `{rs:[['set',{$u:'w1'}]]}`, which some
 * servers send instead of JSON. Undefined for text with anything else, such as a function.
 */
export function readLiteral(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  const json: string[] = [];
  const source = text.trimEnd();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < source.length) {
    const found = TOKEN.exec(source);
    if (found === null) return undefined;
    const [, double, single, number, name, mark] = found;
    const string = (double ?? single)?.replace(/\\(["'\\/])/g, "$1");
    const isKey = /\s*:/y;
    isKey.lastIndex = TOKEN.lastIndex;
    const isEnd = mark === "]" || mark === "}";
    if (isEnd && json.at(-1) === "," && !/^[[{,:]$/.test(json.at(-2) ?? "[")) json.pop();
    json.push(
      string !== undefined
        ? JSON.stringify(string)
        : mark ?? (isKey.test(source)
          ? JSON.stringify(name ?? number)
          : number !== undefined
          ? JSON.stringify(Number(number))
          : name === "undefined"
          ? "null"
          : name),
    );
  }
  try {
    return parseExactJson(json.join(" "));
  } catch {
    return undefined;
  }
}

interface Node {
  readonly value: unknown;
  readonly place: string;
  readonly path: string;
  readonly depth: number;
  readonly inError: boolean;
}

/** Uses a stack, because JSON may be nested deeply. */
function jsonContents(json: unknown): Contents {
  const leaves: Leaf[] = [];
  const structure = new Set<string>();
  const root = { value: json, place: "$", path: "$", inError: false };
  const stack: Node[] = [{ ...root, depth: 0 }];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const { value, place, path, depth, inError } = node;
    const isList = Array.isArray(value);
    if (depth <= DEEPEST_JSON) structure.add(path);
    if (!isList && !isMap(value)) {
      const text = value === null ? "" : asText(value);
      leaves.push({ text, place, path, inError, isText: typeof value === "string" });
      continue;
    }
    const members = Object.entries(value);
    const hasError = members.some(([name, member]) => ERROR.test(name) && Boolean(member));
    const inner = members.map(([name, member]): Node => {
      const step = isList ? Number(name) : name;
      return {
        value: member,
        ...(depth < DEEPEST_JSON
          ? {
            place: place + formatPath([step]).slice(1),
            path: path + (isList ? "[]" : `.${/\d/.test(name) ? "#" : name}`),
          }
          : { place, path }),
        depth: depth + 1,
        inError: inError || (!isList && (ERROR.test(name) || hasError && EXPLANATION.test(name))),
      };
    });
    for (const node of inner.reverse()) stack.push(node);
  }
  return { leaves, structure };
}

export interface Form {
  readonly method: string;
  /** URL to which the form is sent. Empty if the form has no `action`. */
  readonly action: string;
}

/** The contents of a page or of an XML document, up to the first of the `MarkupLimits`. */
export interface Markup extends Contents {
  /** Without the text that a server could have generated (see `withoutValues`). May be empty. */
  readonly title: string;
  /** Forms, keyed by their method and the shape of their action URL (see `urlShape`). */
  readonly forms: ReadonlyMap<string, Form>;
  /** Names of form fields, with `#` for what a server could have generated. */
  readonly fields: ReadonlySet<string>;
  /** True if the page shows a word outside of its title, scripts and comments. */
  readonly hasText: boolean;
  readonly elements: ReadonlySet<string>;
  /** Most elements in one parent, by path in an XML document, such as `list/item/name`. */
  readonly paths: ReadonlyMap<string, number>;
  /** True if the text exceeds one of the limits, so that its end was not read. */
  readonly isCut: boolean;
}

const HIDDEN: ReadonlySet<string> = new Set([
  "script",
  "style",
  "template",
  "noscript",
  "title",
]);

const ERROR_CLASS =
  /(?:^|[\s_-])(?:error|errors|danger|invalid|errorlist|alert-warning)(?:$|[\s_-])/i;
const LONGEST_NAME = 40;
const LONGEST_PATH = 1_000;

const WORD = /\p{L}{2}|\p{Lo}/u;

const FIELDS = new Set(["input", "select", "textarea", "button"]);

interface OpenElement extends Pick<Leaf, "inError"> {
  /** Names of the elements, outermost first. Long names are truncated. */
  readonly path: string;
  readonly hides: boolean;
  /** Names of the element and those that contain it, not truncated. Empty in pages. */
  readonly xmlPath: string;
  readonly children: Map<string, number>;
}

function markupOf(body: ReadBody): Markup {
  return markupOfBodies.getOrInsertComputed(
    body,
    ({ text, form }) => readMarkup(text, form === "xml"),
  );
}

/** Returns the contents of a page or an XML document, or undefined if it exceeds a limit. */
export function readOutline(body: ReadBody): Markup | undefined {
  const markup = markupOf(body);
  return markup.isCut ? undefined : markup;
}

/** Reads a page, or an XML document if `xml` is true. */
export function readMarkup(text: string, xml: boolean): Markup {
  const reader = new MarkupReader(xml);
  const parser = new Parser(reader, { xmlMode: xml });
  try {
    parser.end(text);
    reader.endText();
  } catch (error) {
    if (!(error instanceof MarkupError)) throw error;
    return { ...reader.contents(), isCut: true };
  }
  return { ...reader.contents(), isCut: false };
}

/** Collects the contents of a document. Its methods are those that the parser calls. */
class MarkupReader {
  readonly #xml: boolean;
  readonly #forms = new Map<string, Form>();
  readonly #fields = new Set<string>();
  readonly #elements = new Set<string>();
  readonly #paths = new Map<string, number>();
  readonly #leaves: Leaf[] = [];
  readonly #open: OpenElement[] = [];
  readonly #limits = new MarkupLimits();
  #title = "";
  #inTitle = false;
  #graphics = 0;
  #hasText = false;
  /** The text since the last tag: the parser splits text at entities. */
  #text = "";

  constructor(xml: boolean) {
    this.#xml = xml;
  }

  onopentag(tag: string, attributes: Readonly<Record<string, string>>): void {
    this.#limits.open();
    this.#limits.add();
    this.endText();
    this.#elements.add(tag);
    const parent = this.#open.at(-1);
    this.#open.push({
      path: elementPath(tag.slice(0, LONGEST_NAME), parent?.path),
      hides: HIDDEN.has(tag) || parent?.hides === true,
      inError: tag === "error" || ERROR_CLASS.test(attributes.class ?? "") ||
        parent?.inError === true,
      xmlPath: this.#xml ? countElement(tag, parent, this.#paths) : "",
      children: new Map(),
    });
    if (tag === "svg") this.#graphics++;
    if (tag === "title") this.#inTitle = this.#graphics === 0 && this.#title === "";
    if (tag === "form") {
      const action = attributes.action ?? "";
      const method = (attributes.method || "get").toUpperCase();
      this.#forms.set(`${method} ${urlShape(action)}`, { method, action });
    }
    if (FIELDS.has(tag) && attributes.name) this.#fields.add(withoutValues(attributes.name));
  }

  ontext(data: string): void {
    if (this.#inTitle) this.#title += data;
    this.#text += data;
  }

  onclosetag(tag: string): void {
    this.#limits.close();
    this.endText();
    this.#open.pop();
    if (tag === "svg") this.#graphics--;
    if (tag === "title") this.#inTitle = false;
  }

  endText(): void {
    if (this.#text === "") return;
    const text = this.#text.replace(/\s+/g, " ").trim();
    this.#text = "";
    const { path = "", hides = false, inError = false } = this.#open.at(-1) ?? {};
    if (hides) return;
    this.#hasText ||= WORD.test(text);
    if (text.length < 2) return;
    const [item] = IN_ITEM.exec(path) ?? [];
    const place = `<${(item ?? path).replace(/^.*\//, "")}>`;
    this.#leaves.push({
      ...{ text, place, path, inError, isText: true },
      ...(item !== undefined && { item }),
    });
  }

  contents(): Omit<Markup, "isCut"> {
    const [paths, leaves, fields] = [this.#paths, this.#leaves, this.#fields];
    return {
      // Ignore the number of values: a title that was made unique contains an additional one.
      title: withoutValues(this.#title).replaceAll("#", " ").replace(/\s+/g, " ").trim(),
      forms: this.#forms,
      fields,
      hasText: this.#hasText,
      elements: this.#elements,
      paths,
      leaves,
      structure: new Set([...paths.keys(), ...leaves.map(({ path }) => path), ...fields]),
    };
  }
}

function countElement(
  tag: string,
  parent: OpenElement | undefined,
  paths: Map<string, number>,
): string {
  const count = (parent?.children.get(tag) ?? 0) + 1;
  parent?.children.set(tag, count);
  const path = parent === undefined ? tag : `${parent.xmlPath}/${tag}`;
  paths.set(path, Math.max(count, paths.get(path) ?? 0));
  return path;
}

function elementPath(name: string, parent: string | undefined): string {
  if (parent === undefined) return name;
  return parent.length > LONGEST_PATH ? parent : `${parent}/${name}`;
}
