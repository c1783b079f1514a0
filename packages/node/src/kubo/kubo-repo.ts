import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { readRegularFile } from '../disk/read-regular-file.ts'
import { makeTemporary } from '../disk/temporary-directory.ts'
import { RepoError, UsageError } from '../errors.ts'
import { holdFile } from '../locks/kernel-lock.ts'
import { copyLevel, loadLevel } from '../repo/load-level.ts'
import { flatfsBlocks } from './flatfs-blocks.ts'
import { decodePinRecord, PIN_RECORDS } from './kubo-pin-record.ts'
import type { KuboSource } from './kubo-source.ts'
import type { TemporaryDirectory } from '../disk/temporary-directory.ts'

/** Kubo locks this file as a whole while a process of it uses the repo (fcntl), which SQLite's locks conflict with. */
const LOCK = 'repo.lock'

/** The first version of Kubo's repo in which files of blocks are named by multihash (Kubo 0.12). */
const MIN_VERSION = 12

/** The most bytes of the files that describe the repo, 64 KiB. */
const MAX_SPEC_SIZE = 64 * 1024

/** The layout of the blocks that Kubo makes: in directories named by the next to last characters. */
export const FLATFS = '/repo/flatfs/shard/v1/next-to-last/2'

interface Mount {
  mountpoint?: unknown
  path?: unknown
  shardFunc?: unknown
  type?: unknown
}

/**
 * Open the repo of a Kubo that does not run, to read what it has pinned. Kubo cannot start meanwhile. Nothing in the
 * repo changes: its blocks are files, and the LevelDB with its pins is opened in a copy, because LevelDB always writes.
 *
 * @returns also the directory of its flatfs
 * @throws {UsageError} Kubo runs, or the repo is not as Kubo makes it by default
 * @throws {RepoError} the repo cannot be read
 */
export async function openKuboRepo (directory: string): Promise<KuboSource & { directory: string }> {
  const { blocks, datastore } = await readSpec(directory)
  const lock = join(directory, LOCK)
  const release = holdFile(lock)

  if (release == null) {
    throw new UsageError(`A Kubo process uses the repo ${directory}: wait until it ends, or stop it`)
  }

  let copy: TemporaryDirectory | undefined
  const close = async (): Promise<void> => {
    // as Kubo does, while no other process can have it
    await rm(lock, { force: true })
    release()
    await copy?.remove()
    await copy?.close()
  }

  return {
    directory: blocks,
    blockstore: flatfsBlocks(blocks),
    async * pins (signal) {
      copy ??= await makeTemporary(join(tmpdir(), 'ipfsz-kubo'))
      yield * readPins(datastore, copy.directory.path, signal)
    },
    close
  }
}

/** The recursive pins in a LevelDB. */
async function * readPins (datastore: string, copy: string, signal: AbortSignal): ReturnType<KuboSource['pins']> {
  await copyLevel(datastore, copy, signal)

  const LevelDatastore = await loadLevel()
  const level = new LevelDatastore(copy, { createIfMissing: false })
  await level.open()

  try {
    for await (const { key, value } of level.query({ prefix: PIN_RECORDS }, { signal })) {
      const pin = decodePinRecord(key.toString(), value)

      if (pin != null) {
        yield pin
      }
    }
  } finally {
    await level.close()
  }
}

/** Where blocks and pins are, in a repo as Kubo makes it by default. */
async function readSpec (directory: string): Promise<{ blocks: string, datastore: string }> {
  const [version, spec] = await Promise.all(['version', 'datastore_spec'].map(async name =>
    readRegularFile(join(directory, name), MAX_SPEC_SIZE).then(String, (cause: unknown) => {
      throw new RepoError(`${directory} is not a Kubo repo: its file ${name} cannot be read`, { cause })
    })))
  const [blocks, datastore] = mountsOf(spec)

  if (
    Number(version) >= MIN_VERSION && blocks?.type === 'flatfs' && blocks.shardFunc === FLATFS &&
    isName(blocks.path) && datastore?.type === 'levelds' && isName(datastore.path)
  ) {
    return { blocks: join(directory, blocks.path), datastore: join(directory, datastore.path) }
  }

  throw new UsageError(
    `The repo ${directory} does not use Kubo's default storage: start Kubo with ` +
      `IPFS_PATH=${directory} ipfs daemon --offline, and import from its API`
  )
}

/** The mounts for `/blocks` and `/`. */
function mountsOf (spec: string): Array<Mount | undefined> {
  let mounts: unknown

  try {
    ({ mounts } = JSON.parse(spec) as { mounts?: unknown })
  } catch {
    // without mounts, it is refused
  }

  const all = Array.isArray(mounts) ? mounts as Array<Mount | null> : []

  return ['/blocks', '/'].map(point => all.find(mount => mount?.mountpoint === point) ?? undefined)
}

/** Whether a path is a name in the repo. Kubo's could lead anywhere. */
function isName (path: unknown): path is string {
  return typeof path === 'string' && !['', '.', '..'].includes(path) && basename(path) === path
}
