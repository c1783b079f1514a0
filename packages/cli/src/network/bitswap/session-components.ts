import type { Services } from '../dht/dhts.ts'
import type { Wants } from './wants.ts'
import type { EarlyBudget } from '@ipfsz/core/libp2p'
import type { Libp2p } from '@libp2p/interface'

/** What a session finds peers with and asks them through. */
export interface SessionComponents {
  libp2p: Libp2p<Services>
  wants: Wants
  /** What all sessions hold of blocks that peers sent over HTTP before they were asked for, in bytes. */
  early: EarlyBudget
}
