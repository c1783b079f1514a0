import { CID } from 'multiformats/cid'
import { DEFAULT_KUBO_TIMEOUT } from '../constants.ts'
import { KuboBlockstore } from './kubo-blockstore.ts'
import type { KuboClient } from './client.ts'

/** The raw block of no bytes. */
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
 * Ask a Kubo for something that it can always answer, to know of what is wrong before
 * anything is read for it.
 *
 * @throws {KuboUnreachableError}
 * @throws {KuboForbiddenError}
 * @throws {NotKuboError}
 */
export async function checkKubo (client: KuboClient, { signal = null, timeout = DEFAULT_KUBO_TIMEOUT }: KuboCheckOptions = {}): Promise<void> {
  await new KuboBlockstore(client, timeout).has(EMPTY, { signal })
}
