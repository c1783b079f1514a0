import type { Fetched } from './messages.ts'
import type { ShapedProxy } from '../shaped-proxy.ts'

/** A file as one side stores it. */
export interface Offer {
  cid: string
  /** Bytes of all blocks. */
  stored: number
}

/** A fetcher and its provider. */
export interface Side {
  name: string
  /** The port of the provider on loopback. */
  port: number
  /** Whether the connection is compressed, so that fewer bytes pass the link than are stored. */
  compressesOnTheWay?: boolean
  /** Add a file at the provider. */
  offer (file: string): Promise<Offer>
  /** Fetch it over a link. Calls `onReady` just before the fetch begins. */
  fetch (offer: Offer, link: ShapedProxy, size: number, timeout: number, onReady: () => void): Promise<Fetched>
}

export interface Sides {
  sides: Side[]
  close (): Promise<void>
}
