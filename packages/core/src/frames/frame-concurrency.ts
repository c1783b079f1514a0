/**
 * How many frames to work on at a time: as many as the memory bound allows, at least two,
 * and no more than keep every core busy.
 *
 * @param frameSize - original bytes in a frame
 * @param inFlightBytes - the most original bytes in all of them
 */
export function frameConcurrency (frameSize: number, inFlightBytes: number): number {
  const cores = globalThis.navigator?.hardwareConcurrency ?? 4

  return Math.max(2, Math.min(cores + 2, Math.floor(inFlightBytes / frameSize)))
}
