/** A new folder. It is removed at the end of its scope. */
export class TempFolder implements Disposable {
  readonly path: string = Deno.makeTempDirSync();

  [Symbol.dispose](): void {
    Deno.removeSync(this.path, { recursive: true });
  }
}
