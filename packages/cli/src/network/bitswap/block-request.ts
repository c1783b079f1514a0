import { setMaxListeners } from 'node:events'
import { checkBlock } from '@ipfsz/core'
import { keyOf } from '../../dag-walk.ts'
import { Change } from '../auto-reset-event.ts'
import type { FetchedBlock } from '../network.ts'
import type { SessionPeer, SessionPeers } from './session-peers.ts'
import type { Wants } from './wants.ts'
import type { PeerId } from '@libp2p/interface'
import type { CID } from 'multiformats/cid'

/** A peer that sends nothing at all for so long while it is asked is not waited for, where there is another, in milliseconds. */
const STALLED_AFTER = 8_000
/** As long for one that has not sent anything yet. */
const SILENT_AFTER = 3_000
/** What a block of unknown size counts for, 1 MiB, of which the leaves of a file have rarely more. */
const SIZE_GUESS = 1024 * 1024
/** How often it is looked for that, in milliseconds. */
const INTERVAL = 500

interface Asked {
  peer: SessionPeer
  since: number
}

/** One block that is wanted, and who has been asked for it. */
export class BlockRequest {
  readonly #cid: CID
  readonly #key: string
  readonly #size: number
  readonly #peers: SessionPeers
  readonly #wants: Wants
  readonly #asked = new Map<string, Asked>()
  readonly #changed = new Change()
  readonly #ended = new AbortController()
  /** The block, when it has come. */
  block: FetchedBlock | undefined

  constructor (cid: CID, size: number | undefined, peers: SessionPeers, wants: Wants) {
    this.#cid = cid
    this.#key = keyOf(cid)
    this.#size = size ?? SIZE_GUESS
    this.#peers = peers
    this.#wants = wants

    const { signal } = this.#ended
    const unlisten = wants.listen(cid, {
      block: (bytes, sender) => { this.#receive(bytes, sender).catch(() => {}) },
      presence: (has, sender) => {
        if (!has) {
          this.#peers.lacks(sender, this.#key)
          this.#changed.notify()
        }
      }
    })
    const unwatch = peers.onChange(() => { this.#changed.notify() })

    setMaxListeners(0, signal)
    signal.addEventListener('abort', () => {
      unlisten()
      unwatch()
    }, { once: true })
  }

  /** Ask a peer for it, unless one has been asked that still may send it. */
  ask (): void {
    const now = Date.now()

    for (const [id, { peer }] of this.#asked) {
      if (!this.#peers.maySend(peer, this.#key)) {
        this.#release(id)
      }
    }

    // a second peer only where all that were asked have stalled
    if ([...this.#asked.values()].some(asked => !hasStalled(asked, now))) {
      return
    }

    this.#asked.forEach(({ peer }) => { peer.stalled = true })
    const peer = this.#peers.pick(this.#key, this.#size, this.#asked)

    if (peer == null) {
      if (!this.#peers.isBusy(this.#key, this.#size)) {
        this.#peers.search(this.#cid)
      }

      return
    }

    this.#asked.set(peer.id.toString(), { peer, since: now })
    peer.asked++
    peer.askedSize += this.#size
    this.#send(peer.id)
  }

  /** Until something has changed, or it is time to look for who has stalled. */
  async wait (signal: AbortSignal): Promise<void> {
    await this.#changed.wait(INTERVAL, signal)
  }

  /** It is not wanted any more. */
  end (): void {
    this.#ended.abort()

    for (const [id, { peer }] of this.#asked) {
      this.#release(id)

      if (id !== this.block?.peerId) {
        this.#wants.cancel(this.#cid, peer.id).catch(() => {})
      }
    }
  }

  async #receive (bytes: Uint8Array, sender: PeerId): Promise<void> {
    const good = await checkBlock(this.#cid, bytes).then(() => true, () => false)

    this.#peers.answered(sender, good)

    if (good) {
      this.block ??= { bytes, peerId: sender.toString() }
    } else {
      // who sends something else under its name has not got it
      this.#peers.lacks(sender, this.#key)
    }

    this.#changed.notify()
  }

  #send (peer: PeerId): void {
    this.#wants.send(this.#cid, peer, 'block').catch(() => {
      if (!this.#ended.signal.aborted) {
        // it has not been asked
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

function hasStalled ({ peer, since }: Asked, now: number): boolean {
  return now - Math.max(since, peer.lastBlock) > (peer.lastBlock === 0 ? SILENT_AFTER : STALLED_AFTER)
}
