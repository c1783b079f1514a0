import type { Services } from '../dht/dhts.ts'
import type { Wants } from './wants.ts'
import type { Libp2p } from '@libp2p/interface'

/** What a session finds peers with and asks them through. */
export interface SessionComponents {
  libp2p: Libp2p<Services>
  wants: Wants
}
