/**
 * How many frames to work on at a time: as many as the memory bound allows, at least two,
 * and no more than keep every core busy: one more than there are cores, so that one is there when another is done.
 * With two more, reading and adding were no faster, and took 6 and 10 MB more memory.
 *
 * @param frameSize - original bytes in a frame
 * @param inFlightBytes - maximum number of original bytes in all of them
 */
export function frameConcurrency (frameSize: number, inFlightBytes: number): number {
  return Math.max(2, Math.min(coreCount() + 1, Math.floor(inFlightBytes / frameSize)))
}

/** Cores of this machine, or 4 if nobody knows. */
export function coreCount (): number {
  return globalThis.navigator?.hardwareConcurrency ?? 4
}
