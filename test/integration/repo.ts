import { readdir } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { sha256 } from 'multiformats/hashes/sha2'
import { expect } from 'vitest'
import { textPieces } from '../support/data.ts'
import { listBlocks, withBlocks } from '../support/stored-blocks.ts'

export interface FeedOptions {
  /** Different seeds give different texts. */
  seed?: number
  /** Never end after the last piece. */
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

/** Poll until the repo holds at least `count` blocks. */
export async function waitForBlocks (repo: string, count: number): Promise<void> {
  while ((await listBlocks(repo)).length < count) {
    await setImmediate()
  }
}

/** Poll until a directory has at least `count` entries. */
export async function waitForFiles (directory: string, count: number): Promise<void> {
  while ((await readdir(directory).catch(() => [])).length < count) {
    await setImmediate()
  }
}

/** Expect every block of the repo to match the hash in its name. */
export async function expectIntact (repo: string): Promise<void> {
  await withBlocks(repo, async blockstore => {
    for await (const { cid, bytes } of blockstore.getAll()) {
      const chunks: Uint8Array[] = []

      for await (const chunk of bytes) {
        chunks.push(chunk)
      }

      const { digest } = await sha256.digest(Buffer.concat(chunks))
      expect(Buffer.compare(digest, cid.multihash.digest), `${cid} is damaged`).toBe(0)
    }
  })
}
