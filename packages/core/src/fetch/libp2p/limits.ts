import type { EarlyBudget } from '../http/early-blocks.ts'

const KIB = 1024
const MIB = 1024 * KIB

/** The protocol of HTTP over a stream (libp2p/specs, http). Kubo offers it with `Experimental.GatewayOverLibp2p`. */
export const HTTP_PROTOCOL = '/http/1.1'

/** Maximum number of bytes of a response's head, 16 KiB. */
export const MAX_HEAD_SIZE = 16 * KIB

/** A stream that has brought this many bytes more than were taken is paused, 1 MiB. */
export const MAX_WAITING = MIB

/**
 * Maximum bytes that libp2p may buffer of a paused stream before it resets it, 32 MiB. yamux lets a peer send up to
 * 16 MiB ahead, more than the default of 4 MiB.
 */
export const MAX_READ_BUFFER = 32 * MIB

/**
 * Maximum bytes of blocks that are held before they are asked for, 32 MiB: as many as may be asked for at a time. The
 * requests of a command reach a daemon in any order.
 */
const MAX_EARLY_OF_PEERS = 32 * MIB

/**
 * Maximum bytes of them to read on while nobody waits for a block, 4 MiB. More keeps the process busy with what comes
 * later, while the reader waits for the first bytes: decrypting a fast connection takes all of a core.
 */
const READ_AHEAD = 4 * MIB

/** A budget for blocks of peers that are held before they are asked for. Sources may share it. */
export function earlyBudget (): EarlyBudget {
  return { used: 0, max: MAX_EARLY_OF_PEERS, ahead: READ_AHEAD }
}

/** Maximum number of peers that are asked below one root. */
export const MAX_PEERS = 8
