import type { CID } from 'multiformats/cid'

export interface KuboCallOptions {
  signal?: AbortSignal
  /** Do not ask the network. */
  offline?: boolean
}

/** How Kubo makes a block's CID, with Kubo's names. */
export interface KuboPutOptions extends KuboCallOptions {
  cidCodec?: string
  mhtype?: string
  mhlen?: number
  pin?: boolean
}

/**
 * The part of `kubo-rpc-client` that is used: blocks and pins. The client passes on options
 * that it does not know, such as `offline`, and this package relies on that.
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
