import { importTests } from "./import_tests.ts";

await importTests(1);
