import { listenAtOnce } from './listen-at-once.ts'
import { openAtOnce } from './open-at-once.ts'
import type { Helia } from '@helia/interface'
import type { Libp2p } from '@libp2p/interface'

/** A Helia, perhaps with libp2p, or a part of one. */
interface Node extends Partial<Pick<Helia, 'events' | 'pins' | 'status'>> {
  /** Throws before the first start. */
  libp2p?: Partial<Libp2p>
}

/**
 * Makes the streams of a Helia node wait for fewer round trips: each time that it starts, and now if it has started.
 * Does nothing if it has no libp2p.
 */
export function quickenStreams (helia: Node): void {
  const quicken = (): void => {
    const libp2p = libp2pOf(helia)

    if (libp2p != null) {
      listenAtOnce(libp2p)
      openAtOnce(libp2p)
    }
  }

  helia.events?.addEventListener('start', quicken)

  if (helia.status === 'started') {
    quicken()
  }
}

function libp2pOf (helia: Node): Libp2p | undefined {
  try {
    return typeof helia.libp2p?.getProtocols === 'function' ? helia.libp2p as Libp2p : undefined
  } catch {
    // it was added after the node had started
    return undefined
  }
}
