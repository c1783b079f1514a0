import { ipfsz } from '@ipfsz/core'
import { collectBytes } from '@ipfsz/utils/bytes'
import { MemoryBlockstore } from 'blockstore-core'
import { walkDag } from '../../src/dag/dag-walk.ts'
import { Random } from '../../../../test/support/random.ts'
import type { Ipfsz } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** A directory that nodes add, and all of its blocks. */
export interface Content {
  cid: CID
  files: ReadonlyArray<{ path: string, bytes: Uint8Array }>
  blocks: ReadonlyArray<{ cid: CID, bytes: Uint8Array }>
}

const random = new Random(1)

/** Files that compress, and some that do not. */
const FILES = Array.from({ length: 9 }, (_, i) => {
  const length = 30 + random.below(700)

  return Uint8Array.from({ length }, (_, at) => i % 3 === 0 ? random.below(256) : (at * i) % 7 + 97)
})

/** Directories that share files. */
const DIRECTORIES = [[0, 1], [1, 2, 3], [0, 4], [4, 5, 6], [6, 7, 8], [2, 5, 8]]

/** Add the files of a directory as `ipfsz add` does. @param pause - awaited before each file: reading takes time */
export async function addContent (
  files: Pick<Ipfsz, 'addAll'>,
  { files: source }: Pick<Content, 'files'>,
  pause: () => Promise<void> = async () => {}
): Promise<CID> {
  let root: CID | undefined
  const candidates = (async function * () {
    for (const { path, bytes } of source) {
      await pause()
      yield { path, content: bytes }
    }
  })()

  for await (const { cid } of files.addAll(candidates, { wrapWithDirectory: true })) {
    root = cid
  }

  if (root == null) {
    throw new Error('nothing was added')
  }

  return root
}

/** What there is to add. */
export async function makeContents (): Promise<Content[]> {
  return Promise.all(DIRECTORIES.map(async numbers => {
    const blockstore = new MemoryBlockstore()
    const files = numbers.map(i => ({ path: `file-${i}`, bytes: FILES[i] }))
    const cid = await addContent(ipfsz({ blockstore }), { files })
    const walked = await Array.fromAsync(walkDag(cid, blockstore, {
      signal: new AbortController().signal, leaves: 'read'
    }))

    return {
      cid,
      files,
      blocks: await Promise.all(walked.map(async ({ cid }) => ({
        cid, bytes: await collectBytes(blockstore.get(cid))
      })))
    }
  }))
}
