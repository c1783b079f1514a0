import { messageOf } from '@ipfsz/utils/message-of'
import { readDaemonFile } from './daemon-file.ts'
import type { DaemonClient } from './daemon-client.ts'
import type { Output } from '../terminal/output.ts'
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
  { output }: { output: Pick<Output, 'verbose' | 'note'> }
): Promise<void> {
  if (client == null || cids.length === 0) {
    return
  }

  try {
    await client.provide(cids)
  } catch (err) {
    if (output.verbose) {
      output.note(`the daemon did not provide the new CIDs: ${messageOf(err)}`)
    }
  } finally {
    await client.close()
  }
}
