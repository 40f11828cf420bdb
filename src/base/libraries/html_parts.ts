export { compile, selectAll, selectOne } from "css-select";
export { DomHandler, hasChildren, isCDATA, isComment, isTag, isText } from "domhandler";
export type { AnyNode, ChildNode, Document, Element } from "domhandler";
/** The default adapter of `css-select`. */
export * as domutils from "domutils";
export { parseDocument, Parser } from "htmlparser2";
