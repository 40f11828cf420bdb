/**
 * fast-check with one seed for all property tests, so that two runs of the tests on the same commit
 * have the same result. Set `FAST_CHECK_SEED` to another integer, or to `random`, to test other
 * inputs. `deno.json` maps `fast-check` to this module.
 */
import fc from "npm:fast-check@4.10.2";

export * from "npm:fast-check@4.10.2";
export default fc;

const DEFAULT_SEED = 20_261_122;

const given = Deno.env.get("FAST_CHECK_SEED");
if (given !== "random") fc.configureGlobal({ seed: Number(given ?? DEFAULT_SEED) });
