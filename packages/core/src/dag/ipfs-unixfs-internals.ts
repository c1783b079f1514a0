import type { UnixFS } from 'ipfs-unixfs'

/** The private field of a `UnixFS` that holds the mode as it was read. */
const ORIGINAL_MODE = '_originalMode'

/**
 * The mode that a node was read with, or 0. Its upper bits give the kind of the file; `mode` of
 * ipfs-unixfs leaves them out. Without them the node would be written with other bytes.
 */
export function originalModeOf (unixfs: UnixFS): number {
  const { [ORIGINAL_MODE]: mode } = unixfs as unknown as Record<string, unknown>

  // no caller could handle it, so it has no class of its own
  if (typeof mode !== 'number') {
    throw new TypeError(`ipfs-unixfs has no ${ORIGINAL_MODE}: install the version that @ipfsz/core requires`)
  }

  return mode
}

/** The mode that a block states, without the kind of file. Undefined if it states none, as for the usual mode. */
export function storedModeOf (unixfs: UnixFS): number | undefined {
  return originalModeOf(unixfs) === 0 ? undefined : unixfs.mode
}
