/**
 * Why something is stopped that nobody waits for any longer. Made once: an abort without a reason makes an error, with
 * its stack, each time.
 */
export const NO_LONGER_NEEDED = new DOMException('No longer needed', 'AbortError')
