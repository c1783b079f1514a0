import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '@ipfsz/utils/message-of'
import { RepoError } from '../errors.ts'
import { checkLevelFiles, loadLevel, reasonOf } from '../repo/load-level.ts'
import type { LevelDatastore } from 'datastore-level'

/** Opens the datastore of the node: known peers and DHT records. Only the daemon opens it. */
export async function openNetworkData (repo: string): Promise<LevelDatastore> {
  const LevelDatastore = await loadLevel()

  await mkdir(repo, { recursive: true })
  const path = join(repo, 'network')
  // before it is made, which begins to open it
  await checkLevelFiles(path).catch((err: unknown) => {
    throw new RepoError(`Cannot open the data of the node in ${path}: ${messageOf(err)}`, { cause: err })
  })
  const datastore = new LevelDatastore(path)

  try {
    // not `datastore.open()`: that loses the reason
    await datastore.db.open()
  } catch (err) {
    throw new RepoError(`Cannot open the data of the node in ${path}: ${reasonOf(err)}`, { cause: err })
  }

  return datastore
}
