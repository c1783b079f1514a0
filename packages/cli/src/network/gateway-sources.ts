import { GatewayPool, HttpSource } from '@ipfsz/core/http'
import { createNodeFetch } from './node-fetch.ts'
import type { BlockSource } from '@ipfsz/core'
import type { Fetch, HttpSourceInit, ReadPlan } from '@ipfsz/core/http'
import type { CID } from 'multiformats/cid'

/** A source of the blocks below one root that may know what will be read, and fetch it ahead. */
export interface PlannedSource extends BlockSource {
  /** Forget what will be read: much of it is here already. */
  dropPlan: () => void
  /** End all requests. */
  close: () => void
}

export type MakeSource = (root: CID, plan?: ReadPlan) => PlannedSource

export interface GatewaySourcesInit extends Pick<HttpSourceInit, 'singleBlocks'> {
  /** Whether there is nothing else to ask. */
  isOnlySource: boolean
  /** Changes how requests are sent. */
  decorate?: ((fetch: Fetch) => Fetch) | undefined
}

/**
 * What fetches from the HTTP gateways at these URLs. Asks none of them.
 *
 * @returns undefined if there are none
 * @throws {InvalidGatewayUrlError}
 */
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
