export { compile, selectAll, selectOne } from "css-select";
export { DomHandler, hasChildren, isCDATA, isComment, isTag, isText } from "domhandler";
export type { AnyNode, ChildNode, Document, Element } from "domhandler";
/** Functions that read and change DOM nodes. `css-select` uses them by default. */
export * as domutils from "domutils";
export { parseDocument, Parser } from "htmlparser2";
