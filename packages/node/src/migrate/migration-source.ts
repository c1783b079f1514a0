import { readdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { openToRead } from '../context.ts'
import { RepoError, UsageError } from '../errors.ts'
import { checkPlace, isS3Url } from '@ipfsz/shared-store/places'
import { readReference } from '@ipfsz/shared-store/reference'
import { placeOf, refuseStore } from './places.ts'
import type { BlockStorage } from '@ipfsz/shared-store/storage'
import type { NodeContext } from '../context.ts'
import type { MigrationSource } from './contract.ts'

/** Open a repo of ipfsz or of Helia, or a bucket of S3. */
export async function openMigrationSource (text: string, context: NodeContext): Promise<MigrationSource> {
  checkPlace(text)

  if (isS3Url(text)) {
    const { openS3Source } = await import('./s3.ts')

    return openS3Source(text, context.signal)
  }

  const path = resolve(text)
  const names = new Set(await readdir(path).catch((cause: unknown) => {
    throw new RepoError(`Cannot read the directory ${text}`, { cause })
  }))

  refuseStore(names, text)

  if (names.has('datastore_spec')) {
    throw new UsageError(`${text} is a Kubo repo`, { problem: 'from-kubo', place: text })
  }

  if (names.has('blocks') || await readReference(path) != null) {
    return openRepoSource(path, context)
  }

  throw new UsageError(`${text} is not a repo of ipfsz or Helia: move a directory of blocks to REPO/blocks to copy it`)
}

async function openRepoSource (repo: string, context: NodeContext): Promise<MigrationSource> {
  const { repo: { storage, blockstore, shared }, pins, links } = await openToRead({ ...context, repo })

  return {
    place: await placeOf(storage, shared),
    blockstore,
    list: signal => multihashes(storage, signal),
    pins: (signal, onDamaged) => pins.ls(signal, onDamaged),
    links,
    close: async () => links?.close()
  }
}

async function * multihashes (storage: BlockStorage, signal: AbortSignal): ReturnType<MigrationSource['list']> {
  for await (const blocks of storage.blocks({ signal })) {
    yield blocks.map(({ multihash }) => multihash)
  }
}
