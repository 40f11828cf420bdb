export { parse } from "@std/csv/parse";
