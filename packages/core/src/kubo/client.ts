import type { CID } from 'multiformats/cid'

export interface KuboCallOptions {
  signal?: AbortSignal
  /** Ask nobody else. */
  offline?: boolean
}

/** What Kubo makes a block's CID of, in its own names. */
export interface KuboPutOptions extends KuboCallOptions {
  cidCodec?: string
  mhtype?: string
  mhlen?: number
  pin?: boolean
}

/**
 * What is used of a Kubo node: the part of the client of `kubo-rpc-client` that deals
 * with blocks and pins. It hands on options that it does not know, and that is made use of.
 */
export interface KuboClient {
  block: {
    put (block: Uint8Array, options?: KuboPutOptions): Promise<CID>
    get (cid: CID, options?: KuboCallOptions): Promise<Uint8Array>
    stat (cid: CID, options?: KuboCallOptions): Promise<{ size: number }>
  }
  pin: {
    add (cid: CID, options?: KuboCallOptions & { name?: string }): Promise<CID>
  }
}
