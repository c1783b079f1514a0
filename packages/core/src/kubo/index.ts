/**
 * @packageDocumentation
 *
 * A running Kubo as the store: files are added to it compressed, pinned there, and read
 * from it. People who run one need no second store. The proxy of an IPFS Cluster speaks
 * the same RPC API, and has not been tried.
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
import { InvalidParametersError } from '../errors.ts'
import { ipfsz } from '../index.ts'
import { KuboBlockstore } from './kubo-blockstore.ts'
import { KuboIpfsz } from './kubo-ipfsz.ts'
import type { Ipfsz, IpfszComponents, IpfszInit } from '../contract.ts'
import type { KuboClient } from './client.ts'

export interface KuboInit extends IpfszInit, Pick<IpfszComponents, 'datastore'> {
  /**
   * Pin what is added, by its plain twin, before its CID is told. Without that it is
   * there until Kubo collects garbage.
   *
   * @default true
   */
  pin?: boolean | undefined

  /**
   * How long Kubo may take to put a block, or to give one that it has, in milliseconds.
   *
   * @default 60000
   */
  timeout?: number | undefined

  /**
   * How long Kubo may take to pin something, in milliseconds: it looks at every block.
   *
   * @default 600000
   */
  pinTimeout?: number | undefined
}

/**
 * Create an {@link Ipfsz} whose blocks are those of a running Kubo. Every block is put
 * by itself, a few at a time, and Kubo's CID for it compared with ours. A block that Kubo
 * does not have it fetches. Verbs that change what is there, as `cp`, pin nothing.
 *
 * Every verb may fail with a KuboUnreachableError, KuboForbiddenError, NotKuboError or
 * KuboFailedError, those that add with a KuboCidMismatchError too. The client of
 * `kubo-rpc-client` takes an answer however long it is, so Kubo is to be one that is trusted.
 * In Node it gives up a call after 300 s without an answer, whatever `pinTimeout` says.
 *
 * @param client - that of `kubo-rpc-client`, or anything else with `block` and `pin` as it has them
 * @throws {InvalidParametersError} a time is not above 0, or as `ipfsz`
 */
export function createIpfszForKubo (client: KuboClient, init: KuboInit = {}): Ipfsz {
  const { pin = true, timeout = DEFAULT_KUBO_TIMEOUT, pinTimeout = DEFAULT_KUBO_PIN_TIMEOUT, datastore, ...rest } = init

  if (!(timeout > 0) || !(pinTimeout > 0)) {
    throw new InvalidParametersError(`timeout and pinTimeout are numbers above 0, not ${timeout} and ${pinTimeout}`)
  }

  const files = ipfsz({ blockstore: new KuboBlockstore(client, timeout), datastore }, rest)

  return pin ? new KuboIpfsz(files, client, pinTimeout) : files
}

export { checkKubo } from './check.ts'
export * from './errors.ts'
export { pinInKubo } from './pin.ts'
export type { KuboCheckOptions } from './check.ts'
export type { KuboPinOptions } from './pin.ts'
export type { KuboCallOptions, KuboClient, KuboPutOptions } from './client.ts'
