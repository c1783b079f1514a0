// Room: blocks from peers: whom to ask, and another one when it is slow (`block-request.ts`).
import { checkBlock, PEER_STALL_TIMEOUT, SILENT_PEER_TIMEOUT, STALL_CHECK_INTERVAL } from '@ipfsz/core'
import { raceSignal } from 'race-signal'
import { keyOf } from '../../dag/dag-walk.ts'
import type { SessionPeer, SessionPeers } from './session-peers.ts'
import type { Wants } from './wants.ts'
import type { SourceBlock } from '@ipfsz/core'
import type { PeerId } from '@libp2p/interface'
import type { CID } from 'multiformats/cid'

/** The size assumed for a block of unknown size, 1 MiB: leaves of files are rarely larger. */
const SIZE_GUESS = 1024 * 1024

interface Asked {
  peer: SessionPeer
  since: number
}

/** One wanted block, and the peers that were asked for it. */
export class BlockRequest {
  readonly #cid: CID
  readonly #key: string
  readonly #size: number
  readonly #peers: SessionPeers
  readonly #wants: Wants
  readonly #asked = new Map<string, Asked>()
  /** Those that lack it: they keep the want, and do not answer another one. */
  readonly #lacking = new Set<SessionPeer>()
  /** Resolves at the next change. It may have come already. */
  #changed = Promise.withResolvers<void>()
  readonly #unlisten: ReadonlyArray<() => void>
  #hasEnded = false
  /** The block, once it has arrived. */
  block: SourceBlock | undefined

  constructor (cid: CID, size: number | undefined, peers: SessionPeers, wants: Wants) {
    this.#cid = cid
    this.#key = keyOf(cid)
    this.#size = size ?? SIZE_GUESS
    this.#peers = peers
    this.#wants = wants
    peers.renew(this.#key)

    this.#unlisten = [
      wants.listen(cid, {
        block: (bytes, sender) => { this.#receive(bytes, sender).catch(() => {}) },
        presence: (has, sender) => {
          if (!has) {
            this.#peers.lacks(sender, this.#key)
            this.#changed.resolve()
          }
        }
      }),
      peers.onChange(() => { this.#changed.resolve() })
    ]
  }

  /**
   * Asks a peer for the block, unless a peer that was asked may still send it.
   *
   * @param search - whether to search for peers if there is none to ask
   * @returns whether the block may still arrive
   */
  ask (search: boolean): boolean {
    for (const [id, { peer }] of this.#asked) {
      if (!this.#peers.maySend(peer, this.#key)) {
        if (peer.lacks.has(this.#key)) {
          this.#lacking.add(peer)
        }

        this.#release(id)
      }
    }

    // ask another peer only once all that were asked have stalled
    if ([...this.#asked.values()].some(asked => !hasStalled(asked))) {
      return true
    }

    this.#asked.forEach(({ peer }) => { peer.stalled = true })
    const peer = this.#peers.pick(this.#key, this.#size, this.#asked)

    // a peer that has sent nothing is waited for only during a search
    if (peer == null || (peer.stalled && !search)) {
      const busy = this.#peers.isBusy(this.#key, this.#size)

      if (!busy && search) {
        if (this.#peers.isExhausted(this.#key)) {
          return false
        }

        this.#peers.search(this.#cid)
      }

      return busy || search
    }

    this.#asked.set(peer.id.toString(), { peer, since: peer.arrivals.now() })
    peer.asked++
    peer.askedSize += this.#size
    this.#send(peer.id)

    return true
  }

  /** Waits until something has changed, or until it is time to check for stalled peers. */
  async wait (signal: AbortSignal): Promise<void> {
    const timer = setTimeout(this.#changed.resolve, STALL_CHECK_INTERVAL)

    try {
      await raceSignal(this.#changed.promise, signal)
    } finally {
      clearTimeout(timer)
      this.#changed = Promise.withResolvers()
    }
  }

  /** Cancels the request at every peer that has not answered. */
  end (): void {
    this.#hasEnded = true
    this.#unlisten.forEach(unlisten => { unlisten() })

    for (const [id, { peer }] of this.#asked) {
      this.#release(id)

      if (id !== this.block?.sender) {
        this.#wants.cancel(this.#cid, peer.id).catch(() => {})
      }
    }

    this.#lacking.forEach(({ id }) => { this.#wants.cancel(this.#cid, id).catch(() => {}) })
  }

  async #receive (bytes: Uint8Array, sender: PeerId): Promise<void> {
    const good = await checkBlock(this.#cid, bytes).then(() => true, () => false)

    this.#peers.answered(sender, good)

    if (good) {
      this.block ??= { bytes, sender: sender.toString(), verified: true }
    } else {
      // a peer that sends other bytes for this CID does not have the block
      this.#peers.lacks(sender, this.#key)
    }

    this.#changed.resolve()
  }

  #send (peer: PeerId): void {
    this.#wants.send(this.#cid, peer, 'block').catch(() => {
      if (!this.#hasEnded) {
        // the want did not reach the peer
        this.#release(peer.toString())
        this.#peers.failed(peer)
      }
    })
  }

  #release (id: string): void {
    const asked = this.#asked.get(id)

    if (asked != null) {
      this.#asked.delete(id)
      this.#peers.released(asked.peer, this.#size)
    }
  }
}

function hasStalled ({ peer: { arrivals }, since }: Asked): boolean {
  return arrivals.silence(since) > (arrivals.hasBegun ? PEER_STALL_TIMEOUT : SILENT_PEER_TIMEOUT)
}
