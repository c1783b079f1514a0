import { readDaemonFile } from '../daemon/daemon-file.ts'
import type { Context } from '../context.ts'
import type { CID } from 'multiformats/cid'

/** Let the daemon of a repo, if one runs, tell others of what is new. What is added is so without that. */
export async function tellDaemon (repo: string, cids: readonly CID[], { output }: Context): Promise<void> {
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
      output.note(`nobody was told of what is new: ${err instanceof Error ? err.message : String(err)}`)
    }
  } finally {
    await client.close()
  }
}
