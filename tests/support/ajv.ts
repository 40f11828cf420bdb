// deno-lint-ignore no-import-prefix -- a validator that is independent of the product
export { Ajv2020 } from "npm:ajv@8.17.1/dist/2020.js";
