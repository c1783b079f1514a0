/**
 * How many frames are worked on at one time: as many as the bound on memory
 * allows, at least two, and no more than keep every core busy.
 *
 * @param frameSize - original bytes in a frame
 * @param inFlightBytes - the most original bytes in all of them
 */
export function frameConcurrency (frameSize: number, inFlightBytes: number): number {
  const cores = globalThis.navigator?.hardwareConcurrency ?? 4

  return Math.max(2, Math.min(cores + 2, Math.floor(inFlightBytes / frameSize)))
}
