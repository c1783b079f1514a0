import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { FsBlockstore } from 'blockstore-fs'
import { sha256 } from 'multiformats/hashes/sha2'
import { expect } from 'vitest'
import { textPieces } from '../support/data.ts'
import { blockFiles } from './run-cli.ts'

export interface FeedOptions {
  /** Which text it is. */
  seed?: number
  /** Do not end behind the last piece. */
  stall?: boolean
}

/** The first MiBs of a long text, for a stdin that may stall. */
export async function * feed (
  pieces: number,
  { seed = 1, stall = false }: FeedOptions = {}
): AsyncGenerator<Uint8Array> {
  yield * textPieces(seed).take(pieces)

  if (stall) {
    await new Promise(() => {})
  }
}

/** Look until the repo holds so many blocks. */
export async function waitForBlocks (repo: string, count: number): Promise<void> {
  while ((await blockFiles(repo)).length < count) {
    await setImmediate()
  }
}

/** Look until a directory has so many entries. */
export async function waitForFiles (directory: string, count: number): Promise<void> {
  while ((await readdir(directory).catch(() => [])).length < count) {
    await setImmediate()
  }
}

/** Every block in the repo holds the bytes that its name says. */
export async function expectIntact (repo: string): Promise<void> {
  const blockstore = new FsBlockstore(join(repo, 'blocks'))

  for await (const { cid, bytes } of blockstore.getAll()) {
    const chunks: Uint8Array[] = []

    for await (const chunk of bytes) {
      chunks.push(chunk)
    }

    const { digest } = await sha256.digest(Buffer.concat(chunks))
    expect(Buffer.compare(digest, cid.multihash.digest), `${cid} is damaged`).toBe(0)
  }
}
