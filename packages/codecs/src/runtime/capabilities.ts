/** JavaScript runs everywhere. */
export function runsEverywhere (): boolean {
  return true
}

export function hasWasm (): boolean {
  return typeof WebAssembly === 'object'
}
