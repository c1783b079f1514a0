import { messageOf } from '@ipfsz/utils/message-of'
import { emit } from '../events.ts'
import { readDaemonFile } from './daemon-file.ts'
import type { DaemonClient } from './daemon-client.ts'
import type { NodeProgressOptions } from '../events.ts'
import type { CID } from 'multiformats/cid'

/** The daemon of a repo, if one runs. To load what reaches it takes milliseconds, for which other work may wait. */
export async function findDaemon (repo: string): Promise<DaemonClient | undefined> {
  const daemon = await readDaemonFile(repo)

  if (daemon == null) {
    return undefined
  }

  const { DaemonClient } = await import('./daemon-client.ts')

  return new DaemonClient(daemon)
}

/** Asks a daemon to provide new CIDs. A failure is only noted: the blocks are stored either way. */
export async function tellDaemon (
  client: DaemonClient | undefined,
  cids: readonly CID[],
  options: NodeProgressOptions
): Promise<void> {
  if (client == null || cids.length === 0) {
    return
  }

  try {
    await client.provide(cids)
  } catch (err) {
    emit(options, 'ipfsz:warning', {
      message: `the daemon did not provide the new CIDs: ${messageOf(err)}`,
      isMinor: true
    })
  } finally {
    await client.close()
  }
}
