import * as node from '@ipfsz/node/init'
import { nodeContext } from '../context.ts'
import type { Context } from '../context.ts'

/**
 * Create a repo, and set how it stores blocks. No-op if the repo already stores them this way.
 *
 * @throws {RepoError} the repo stores blocks with another codec, or in a store
 */
export async function init (asked: node.InitRepoOptions, context: Context): Promise<void> {
  const { path: repo, codec, layout, store, exists } = await node.initRepo(nodeContext(context), asked)
  const files = codec === 'none' ? 'blocks not compressed' : `blocks compressed with ${codec}`
  const blocks = layout === 'packs' ? 'blocks in packs' : files
  const where = store == null ? '' : ` in the store ${store}`

  context.output.sentence(
    { repo, codec, layout, store },
    exists ? `The repo ${repo} already exists, ${blocks}${where}` : `Created a repo in ${repo}, ${blocks}${where}`
  )
}

/**
 * Create a repo that keeps blocks, pins, links and histories in a store that other nodes share. Creates the store in an
 * empty place, or joins an existing store.
 *
 * @param store - a directory, or a URL that begins with s3://
 * @throws {RepoError} the repo has blocks of its own, or uses another store
 * @throws {StoreError} the place contains something else than a store, or a store of a newer ipfsz
 */
export async function initStore (store: string, asked: node.InitStoreOptions, context: Context): Promise<void> {
  const { path, store: place, codec, isNew, wasJoined } = await node.initStore(nodeContext(context), store, asked)
  const uses = isNew ? `created the store ${place} and uses it` : `joined the store ${place}`

  context.output.sentence(
    { repo: path, store: place, codec, made: isNew },
    `The repo ${path} ${wasJoined ? `already uses the store ${place}` : uses}, blocks in packs`
  )
}
