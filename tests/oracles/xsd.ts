import { type Element, isTag } from "domhandler";
import { parseDocument } from "htmlparser2";

const TYPES: Readonly<Record<string, RegExp>> = {
  "xs:string": /^/,
  "xs:nonNegativeInteger": /^\d+$/,
  "xs:decimal": /^[+-]?(\d+(\.\d*)?|\.\d+)$/,
  "xs:dateTime": /^-?\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?$/,
};

/**
 * Validates a document against an XML schema and returns the errors. Supports only the features
 * that `junit.xsd` uses: global elements that refer to each other in a sequence or choice, and
 * attributes of four types.
 */
export function xsdFaults(xml: string, xsd: string): string[] {
  const [schema] = elementsOf(parse(xsd));
  const rules = new Map(elementsOf(schema).map((rule) => [rule.attribs.name, rule]));
  return elementsOf(parse(xml)).flatMap((root) => faults(root, rules));
}

function faults(element: Element, rules: ReadonlyMap<string, Element>): string[] {
  const { name, attribs } = element;
  const rule = rules.get(name);
  if (rule === undefined) return [`<${name}> is unknown`];
  const parts = elementsOf(elementsOf(rule)[0]);
  const attributes = parts.filter((part) => part.name === "xs:attribute");
  const content = parts.find((part) => part.name !== "xs:attribute");
  const known = attributes.map((attribute) => attribute.attribs);
  return [
    ...Object.keys(attribs).filter((key) => known.every(({ name }) => name !== key))
      .map((key) => `<${name}> has an unknown ${key}`),
    ...known.filter((of) => of.use === "required" && !(of.name in attribs))
      .map((of) => `<${name}> has no ${of.name}`),
    ...known.filter((of) => of.name in attribs && !TYPES[of.type].test(attribs[of.name]))
      .map((of) => `<${name}> ${of.name} is not a ${of.type}: ${attribs[of.name]}`),
    ...contentFaults(element, content),
    ...elementsOf(element).flatMap((child) => faults(child, rules)),
  ];
}

function contentFaults(element: Element, content: Element | undefined): string[] {
  const children = elementsOf(element);
  const allowed = content === undefined ? [] : elementsOf(content);
  const unexpected = children.filter(({ name }) =>
    allowed.every(({ attribs }) => attribs.ref !== name)
  );
  const max = allowed.some(({ attribs }) => attribs.maxOccurs === "unbounded") ? Infinity : 1;
  return [
    ...unexpected.map(({ name }) => `<${element.name}> contains <${name}>`),
    ...(children.length > max ? [`<${element.name}> contains ${children.length} elements`] : []),
  ];
}

function parse(text: string) {
  return parseDocument(text, { xmlMode: true });
}

function elementsOf(parent: { readonly children: Element["children"] }): Element[] {
  return parent.children.filter(isTag);
}
