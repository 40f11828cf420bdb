// @ts-types="npm:json-p3@2.3.1"
export { compile } from "json-p3";
