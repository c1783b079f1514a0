import { rm, stat } from 'node:fs/promises'
import { Reached, walkDag } from './dag-walk.ts'
import type { Pin } from './pin-records.ts'
import type { Repo } from './repo.ts'

/** How many files are deleted at one time. */
const CONCURRENCY = 32

export interface Garbage {
  /** How many blocks a pin leads to. */
  kept: number
  /** The files of the blocks that no pin leads to. */
  files: string[]
  /** Bytes of those. */
  size: number
}

/**
 * The blocks that no pin leads to.
 *
 * @throws {DamagedDagError} what is below a pin is not known, as a block is missing or
 *   damaged
 */
export async function findGarbage (repo: Repo, pins: readonly Pin[], signal: AbortSignal): Promise<Garbage> {
  const reached = new Reached()
  const garbage: Garbage = { kept: 0, files: [], size: 0 }

  for (const { plainCid, depth } of pins) {
    for await (const _ of walkDag(plainCid, repo.blockstore, { signal, leaves: 'skip', depth, reached })) {
      // it is noted in `reached`
    }
  }

  for await (const files of repo.disk.files({ signal })) {
    const unwanted = files.filter(({ multihash }) => !reached.has(multihash.bytes))
    const sizes = await Promise.all(unwanted.map(async ({ path }) => (await stat(path)).size))

    garbage.kept += files.length - unwanted.length
    garbage.files.push(...unwanted.map(({ path }) => path))
    garbage.size += sizes.reduce((total, size) => total + size, 0)
  }

  return garbage
}

/** Delete the files of blocks. */
export async function removeFiles (files: readonly string[], signal: AbortSignal): Promise<void> {
  for (let start = 0; start < files.length; start += CONCURRENCY) {
    signal.throwIfAborted()
    await Promise.all(files.slice(start, start + CONCURRENCY).map(async file => rm(file, { force: true })))
  }
}
