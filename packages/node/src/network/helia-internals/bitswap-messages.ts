import { NodeError } from '../../errors.ts'
import type { PeerId } from '@libp2p/interface'
import type { CID } from 'multiformats/cid'

/** An entry of a wantlist (Bitswap 1.2.0, message.proto). */
export interface WantEntry {
  cid: Uint8Array
  priority: number
  cancel?: boolean
  wantType?: 'WantBlock' | 'WantHave'
  /** Whether the peer answers if it does not have the block. */
  sendDontHave?: boolean
}

/** A message as @helia/bitswap queues it. Keys are multihashes in base64. */
export interface WantMessage {
  full: boolean
  pendingBytes: number
  wantlist: Map<string, WantEntry>
  blocks: Map<string, { data: Uint8Array }>
  blockPresences: Map<string, unknown>
}

export const BITSWAP = '/ipfs/bitswap/1.2.0'

/** The private fields of a broker's `bitswap` that send messages, and say what came. */
export interface BitswapMessages {
  network: {
    sendMessage (peer: PeerId, message: WantMessage, options?: { signal?: AbortSignal }): Promise<unknown>
    addEventListener (type: string, listener: (event: CustomEvent<PeerId>) => void): void
    removeEventListener (type: string, listener: (event: CustomEvent<PeerId>) => void): void
  }
  wantList: {
    /** The connected peers that speak Bitswap. */
    peers: { keys (): Iterable<PeerId> }
    /** A peer sent a block. Its bytes have not been compared with its hash yet. */
    addEventListener (
      type: 'block',
      listener: (event: CustomEvent<{ cid: CID, block: Uint8Array, sender: PeerId }>) => void
    ): void
    /** A peer says whether it has a block. */
    addEventListener (
      type: 'presence',
      listener: (event: CustomEvent<{ cid: CID, sender: PeerId, has: boolean }>) => void
    ): void
  }
}

/**
 * Returns what @helia/bitswap sends and receives messages with. Its public interface sends each
 * want to every peer, so every peer that has the block sends it.
 *
 * @param broker - made by `withBitswap` of @helia/bitswap
 */
export function bitswapMessages (broker: unknown): BitswapMessages {
  type Fields = { [Key in keyof BitswapMessages]?: Partial<BitswapMessages[Key]> }
  const { bitswap } = (broker ?? {}) as { bitswap?: Fields }
  const fields = {
    'wantList.peers': bitswap?.wantList?.peers?.keys,
    'network.sendMessage': bitswap?.network?.sendMessage
  }

  for (const [name, field] of Object.entries(fields)) {
    if (typeof field !== 'function') {
      throw new NodeError(`@helia/bitswap has no ${name}: install the version in the package.json of ipfsz`)
    }
  }

  return bitswap as BitswapMessages
}
