/**
 * Feeds generated and damaged answers to the HTTP/1.1 parser; stops at the first that is not dealt with
 * as it should be, and prints it with its seed.
 *
 *     deno run scripts/fuzz/http.ts [runs]
 */
import { checkAnswers, checkDamagedAnswers } from "../../tests/support/answer_properties.ts";

const runs = Number(Deno.args[0] ?? 20_000);
checkAnswers(runs);
checkDamagedAnswers(runs);
console.log(`${2 * runs} answers read as they should be`);
