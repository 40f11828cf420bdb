import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { Queue } from "../../src/base/queue.ts";

Deno.test("Queue returns items in order of insertion", () => {
  fc.assert(fc.property(fc.array(fc.boolean(), { maxLength: 200 }), (adds) => {
    const queue = new Queue<number>();
    const slow: number[] = [];
    adds.forEach((add, i) => {
      if (add) {
        queue.push(i);
        slow.push(i);
      } else assertEquals(queue.shift(), slow.shift());
      assertEquals(queue.size, slow.length);
    });
    while (slow.length > 0) assertEquals(queue.shift(), slow.shift());
    assertEquals(queue.shift(), undefined);
  }));
});
