import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { openToRead } from '../context.ts'
import { RepoError, UsageError } from '../errors.ts'
import { readRegularFile } from '../disk/read-regular-file.ts'
import { flatfsBlocks } from '../kubo/flatfs-blocks.ts'
import { flatfsFiles } from '../kubo/flatfs-files.ts'
import { FLATFS, openKuboRepo } from '../kubo/kubo-repo.ts'
import { PlainRepoBlockstore } from '../repo/repo-plain-blockstore.ts'
import { FileStorage } from '@ipfsz/shared-store/internal/file-storage'
import { checkPlace, isS3Url } from '@ipfsz/shared-store/internal/open-backend'
import { readReference } from '@ipfsz/shared-store/internal/store-reference'
import { placeOf, refuseStore } from './places.ts'
import type { BlockStorage } from '@ipfsz/shared-store/internal/block-storage'
import type { NodeContext } from '../context.ts'
import type { MigrationSource } from './contract.ts'

/** The most bytes of the file that describes a flatfs. */
const MAX_SPEC_SIZE = 4096

/**
 * Open a repo of ipfsz, of Helia or of a Kubo that does not run, or a directory of blocks, as blockstore-fs and Kubo's
 * flatfs lay them out, or a bucket of S3.
 *
 * @throws {UsageError} it is none of these, or a Kubo uses it
 * @throws {RepoError} it cannot be read
 */
export async function openMigrationSource (text: string, context: NodeContext): Promise<MigrationSource> {
  checkPlace(text)

  if (isS3Url(text)) {
    const { openS3Source } = await import('./s3.ts')

    return { ...await openS3Source(text, context.signal), ...NOTHING_PINNED }
  }

  const path = resolve(text)
  const names = new Set(await readdir(path).catch((cause: unknown) => {
    throw new RepoError(`Cannot read the directory ${text}`, { cause })
  }))

  refuseStore(names, text)

  if (names.has('datastore_spec')) {
    const { directory, blockstore, pins, close } = await openKuboRepo(path)

    return { ...flatfs(directory, blockstore), pins: signal => withDepth(pins(signal)), close }
  }

  if (names.has('SHARDING')) {
    await checkSharding(path)

    return flatfs(path, flatfsBlocks(path))
  }

  return names.has('blocks') || await readReference(path) != null
    ? openRepoSource(path, context)
    : openFiles(path, text)
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

/** @throws {UsageError} there are no blocks in the directory */
async function openFiles (path: string, text: string): Promise<MigrationSource> {
  const storage = new FileStorage(path)

  for await (const _ of storage.files()) {
    return {
      place: await placeOf(storage),
      blockstore: new PlainRepoBlockstore(storage),
      list: signal => multihashes(storage, signal),
      ...NOTHING_PINNED
    }
  }

  throw new UsageError(
    `There are no blocks in ${text}: choose a repo of ipfsz, Helia or Kubo, or a directory of blocks`
  )
}

function flatfs (
  directory: string,
  blockstore: MigrationSource['blockstore']
): MigrationSource {
  return { place: directory, blockstore, list: signal => flatfsFiles(directory, signal), ...NOTHING_PINNED }
}

const NOTHING_PINNED: Pick<MigrationSource, 'pins' | 'links' | 'close'> = {
  async * pins () {
    // a directory of blocks has no pins
  },
  links: undefined,
  close: async () => {}
}

async function * multihashes (storage: BlockStorage, signal: AbortSignal): ReturnType<MigrationSource['list']> {
  for await (const blocks of storage.files({ signal })) {
    yield blocks.map(({ multihash }) => multihash)
  }
}

async function * withDepth (
  pins: ReturnType<Awaited<ReturnType<typeof openKuboRepo>>['pins']>
): ReturnType<MigrationSource['pins']> {
  for await (const pin of pins) {
    yield { ...pin, depth: Infinity }
  }
}

/** @throws {UsageError} the files are named in another way than Kubo's */
async function checkSharding (directory: string): Promise<void> {
  const sharding = (await readRegularFile(join(directory, 'SHARDING'), MAX_SPEC_SIZE)).toString().trim()

  if (sharding !== FLATFS) {
    throw new UsageError(`The blocks in ${directory} do not have Kubo's default layout, ${FLATFS}`)
  }
}
