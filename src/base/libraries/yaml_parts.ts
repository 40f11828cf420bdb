export { parse } from "@std/yaml";
