/** First-in, first-out queue in a ring buffer, which doubles when it is full. */
export class Queue<Item> {
  #ring: (Item | undefined)[] = [];
  #first = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(item: Item): void {
    if (this.#size === this.#ring.length) this.#grow();
    this.#ring[(this.#first + this.#size) & (this.#ring.length - 1)] = item;
    this.#size++;
  }

  shift(): Item | undefined {
    if (this.#size === 0) return undefined;
    const item = this.#ring[this.#first];
    this.#ring[this.#first] = undefined;
    this.#first = (this.#first + 1) & (this.#ring.length - 1);
    this.#size--;
    return item;
  }

  #grow(): void {
    const { length } = this.#ring;
    const ordered = [...this.#ring.slice(this.#first), ...this.#ring.slice(0, this.#first)];
    this.#ring = ordered.concat(new Array(Math.max(8, length)).fill(undefined));
    this.#first = 0;
  }
}
