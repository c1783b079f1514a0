import type { IpfszInit } from '@ipfsz/core'

/** How much of one response is read ahead, in bytes: two frames of the usual size, and as much of blocks. */
const AHEAD = 8 * 1024 * 1024

/** How a gateway reads files. The gateway counts on it when it shares its memory among responses. */
export const READ_INIT = { inFlightBytes: AHEAD, fetch: { maxBytes: AHEAD } } satisfies IpfszInit
