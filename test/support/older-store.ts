import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CompressedBlockstore } from '@ipfsz/blockstore-compressed'
import { SharedFsBlockstore } from '@ipfsz/blockstore-compressed/fs'
import { openStore } from '@ipfsz/shared-store'
import { collectBytes } from '@ipfsz/utils/bytes'

/**
 * Make a store in a directory what early versions have made: each block is an object.
 *
 * @returns how many blocks it has
 */
export async function makeOlder (store: string): Promise<number> {
  const path = join(store, 'ipfsz-store.json.data')
  const mark = JSON.parse(await readFile(path, 'utf8')) as { id: string }
  const { shared: { packs } } = await openStore({ store, id: mark.id })
  const files = new SharedFsBlockstore(join(store, 'blocks'))
  const blocks = new CompressedBlockstore(files, { codec: 'zstd' })
  await files.open()
  let count = 0

  for await (const { cid, bytes } of packs?.getAll() ?? []) {
    await blocks.put(cid, await collectBytes(bytes))
    count++
  }

  await rm(join(store, 'packs'), { recursive: true })
  await writeFile(path, JSON.stringify({ ...mark, version: 1 }))

  return count
}
