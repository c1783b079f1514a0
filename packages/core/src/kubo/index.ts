/**
 * @packageDocumentation
 *
 * A running Kubo as the store: files are compressed, added to Kubo, pinned there, and read
 * from it. Kubo users need no second store. The proxy of an IPFS Cluster speaks the same RPC
 * API, but is untested.
 *
 * @example Add a file to Kubo and read it back
 *
 * ```typescript
 * import { createIpfszForKubo } from '@ipfsz/core/kubo'
 * import { create } from 'kubo-rpc-client'
 *
 * const fs = createIpfszForKubo(create({ url: 'http://127.0.0.1:5001' }))
 *
 * const cid = await fs.addBytes(new TextEncoder().encode('hello '.repeat(1000)))
 *
 * for await (const bytes of fs.cat(cid)) {
 *   console.info(bytes.byteLength)
 * }
 * ```
 */

import { DEFAULT_KUBO_PIN_TIMEOUT, DEFAULT_KUBO_TIMEOUT } from '../constants.ts'
import { createIpfsz } from '../create-ipfsz.ts'
import { InvalidParametersError } from '../errors.ts'
import { KuboBlockstore } from './kubo-blockstore.ts'
import { KuboIpfsz } from './kubo-ipfsz.ts'
import type { Ipfsz, IpfszComponents, IpfszInit } from '../contract.ts'
import type { KuboClient } from './client.ts'

export interface KuboInit extends IpfszInit, Pick<IpfszComponents, 'datastore'> {
  /**
   * Pin what is added, by its plain CID, before returning its CID. Unpinned content exists
   * until Kubo's next garbage collection.
   *
   * @default true
   */
  pin?: boolean | undefined

  /**
   * How long Kubo may take to store a block, or to return one that it has, in milliseconds.
   *
   * @default 60000
   */
  timeout?: number | undefined

  /**
   * How long Kubo may take to pin a DAG, in milliseconds. It visits every block.
   *
   * @default 600000
   */
  pinTimeout?: number | undefined
}

/**
 * Create an {@link Ipfsz} that stores its blocks in a running Kubo. Blocks are sent one by
 * one, a few at a time, and Kubo's CID for each is checked. Kubo fetches blocks that it does
 * not have. Verbs that change existing content, such as `cp`, pin nothing.
 *
 * Every verb may throw KuboUnreachableError, KuboForbiddenError, NotKuboError or
 * KuboFailedError. Verbs that add may also throw KuboCidMismatchError. Use only a Kubo that
 * you trust: `kubo-rpc-client` reads answers of any length. In Node it gives up after 300 s
 * without an answer, even if `pinTimeout` is longer.
 *
 * @param client - a `kubo-rpc-client`, or an object with the same `block` and `pin`
 * @throws {InvalidParametersError} a timeout is not above 0, or for the reasons of `ipfsz`
 */
export function createIpfszForKubo (client: KuboClient, init: KuboInit = {}): Ipfsz {
  const {
    pin = true,
    timeout = DEFAULT_KUBO_TIMEOUT,
    pinTimeout = DEFAULT_KUBO_PIN_TIMEOUT,
    datastore,
    ...rest
  } = init

  if (!(timeout > 0) || !(pinTimeout > 0)) {
    throw new InvalidParametersError(`timeout and pinTimeout must be above 0, not ${timeout} and ${pinTimeout}`)
  }

  const components = { blockstore: new KuboBlockstore(client, timeout), datastore }

  return createIpfsz(components, rest, pin ? init => new KuboIpfsz(init, client, pinTimeout) : undefined)
}

export { checkKubo } from './check.ts'
export * from './errors.ts'
export { KuboBlockstore } from './kubo-blockstore.ts'
export { pinInKubo } from './pin.ts'
export type { KuboCheckOptions } from './check.ts'
export type { KuboPinOptions } from './pin.ts'
export type { KuboCallOptions, KuboClient, KuboPutOptions } from './client.ts'
