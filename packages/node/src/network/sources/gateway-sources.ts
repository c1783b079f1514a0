import { GatewayPool, HttpSource } from '@ipfsz/core/http'
import { createNodeFetch } from '../node-fetch.ts'
import type { Fetch, HttpSourceInit, ReadPlan } from '@ipfsz/core/http'
import type { CID } from 'multiformats/cid'

/** Makes the source of the blocks below one root. */
export type MakeSource = (root: CID, plan?: ReadPlan) => HttpSource

export interface GatewaySourcesInit extends Pick<HttpSourceInit, 'singleBlocks'> {
  /** Whether there is nothing else to ask. */
  isOnlySource: boolean
  /** Changes how requests are sent. */
  decorate?: ((fetch: Fetch) => Fetch) | undefined
}

/** What fetches from the HTTP gateways at these URLs. Asks none of them. Returns undefined if there are none. */
export function gatewaySources (
  urls: readonly string[],
  { decorate = fetch => fetch, isOnlySource, singleBlocks }: GatewaySourcesInit
): MakeSource | undefined {
  if (urls.length === 0) {
    return undefined
  }

  const pool = new GatewayPool(urls)
  const fetch = decorate(createNodeFetch())

  return (root, plan) => new HttpSource({ root, plan, pool, isOnlySource, singleBlocks, fetch })
}
