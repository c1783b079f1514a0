// Room: which implementation of a codec runs (`choose-entries.ts`), whether in a worker, and how failures become
// errors (`create-codec.ts`).

/** JavaScript runs everywhere. */
export function runsEverywhere (): boolean {
  return true
}

export function hasWasm (): boolean {
  return typeof WebAssembly === 'object'
}
