import { DEFAULT_KUBO_PIN_TIMEOUT } from '../constants.ts'
import { unmark } from '../marker.ts'
import { callKubo } from './call.ts'
import { checkAnswer } from './check-answer.ts'
import type { KuboClient } from './client.ts'
import type { CID } from 'multiformats/cid'

export interface KuboPinOptions {
  signal?: AbortSignal | null | undefined

  /** The name of the pin. */
  name?: string | undefined

  /**
   * How long Kubo may take, in milliseconds. It visits every block.
   *
   * @default 600000
   */
  timeout?: number | undefined
}

/**
 * Pin the plain twin of a CID recursively. Kubo must already have every block.
 *
 * @throws {KuboFailedError} Kubo does not have a block
 * @throws {KuboCidMismatchError} Kubo pinned another CID
 */
export async function pinInKubo (
  client: Pick<KuboClient, 'pin'>,
  cid: CID,
  { signal, name, timeout = DEFAULT_KUBO_PIN_TIMEOUT }: KuboPinOptions = {}
): Promise<void> {
  const plain = unmark(cid)
  const options = { offline: true, ...name == null ? {} : { name } }

  checkAnswer(plain, await callKubo(async signal => client.pin.add(plain, { ...options, signal }), timeout, signal))
}
