/** JavaScript runs everywhere. */
export function always (): boolean {
  return true
}

export function hasWasm (): boolean {
  return typeof WebAssembly === 'object'
}
