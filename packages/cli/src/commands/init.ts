import * as node from '@ipfsz/node/init'
import { nodeContext } from '../context.ts'
import type { Context } from '../context.ts'

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

export async function initStore (store: string, asked: node.InitStoreOptions, context: Context): Promise<void> {
  const { path, store: place, codec, isNew, wasJoined } = await node.initStore(nodeContext(context), store, asked)
  const uses = isNew ? `created the store ${place} and uses it` : `joined the store ${place}`

  context.output.sentence(
    { repo: path, store: place, codec, made: isNew },
    `The repo ${path} ${wasJoined ? `already uses the store ${place}` : uses}, blocks in packs`
  )
}
