import { messageOf } from '@ipfsz/codecs/internal'
import { readDaemonFile } from './daemon-file.ts'
import type { Output } from '../terminal/output.ts'
import type { CID } from 'multiformats/cid'

/** Asks the daemon, if one runs, to provide new CIDs. A failure is only noted: the blocks are stored either way. */
export async function tellDaemon (
  repo: string,
  cids: readonly CID[],
  { output }: { output: Pick<Output, 'verbose' | 'note'> }
): Promise<void> {
  const daemon = await readDaemonFile(repo)

  if (daemon == null || cids.length === 0) {
    return
  }

  const { DaemonClient } = await import('./daemon-client.ts')
  const client = new DaemonClient(daemon)

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
