import { assertEquals, assertStringIncludes } from "@std/assert";

const MODULE = new URL("../../support/faulty_worker.ts", import.meta.url);

for (const place of ["timer", "promise"]) {
  Deno.test(`worker: reports an uncaught error in a ${place} to its parent instead of printing it`, async () => {
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["eval", script(place)],
      env: { NO_COLOR: "1" },
    }).output();
    assertEquals([code, new TextDecoder().decode(stderr)], [0, ""]);
    assertStringIncludes(new TextDecoder().decode(stdout), "Error: out of luck");
  });
}

function script(place: string): string {
  return `
    const worker = new Worker("${MODULE}", { type: "module" });
    worker.onmessage = ({ data }) => { console.log(data); worker.terminate(); };
    worker.postMessage("${place}");
  `;
}
