import { CID } from 'multiformats/cid'
import { DEFAULT_KUBO_TIMEOUT } from '../constants.ts'
import { KuboBlockstore } from './kubo-blockstore.ts'
import type { KuboClient } from './client.ts'

/** The empty raw block. */
const EMPTY = CID.parse('bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku')

export interface KuboCheckOptions {
  signal?: AbortSignal | null | undefined

  /**
   * How long to wait for an answer, in milliseconds.
   *
   * @default 60000
   */
  timeout?: number | undefined
}

/**
 * Check that a Kubo node answers, with a request that always succeeds. Use it to find
 * connection problems before reading any input.
 *
 * @throws {KuboUnreachableError}
 * @throws {KuboForbiddenError}
 * @throws {NotKuboError}
 */
export async function checkKubo (client: KuboClient, options: KuboCheckOptions = {}): Promise<void> {
  const { signal = null, timeout = DEFAULT_KUBO_TIMEOUT } = options

  await new KuboBlockstore(client, timeout).has(EMPTY, { signal })
}
