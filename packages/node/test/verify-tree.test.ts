import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CID } from 'multiformats/cid'
import { describe, expect, it, onTestFinished } from 'vitest'
import { SpillStack } from '../src/disk/spill-stack.ts'
import { SmallFiles } from '../src/tree/small-files.ts'
import { ClaimedBytes } from '../src/tree/claimed-bytes.ts'
import { verifyTree } from '../src/verify/verify-tree.ts'
import { Trees } from './trees.ts'
import type { SmallTask } from '../src/tree/protocol.ts'
import type { SmallResult } from '../src/tree/small-files.ts'
import type { WaitingDirectory } from '../src/tree/walk-tree.ts'
import type { DirectoryLink, VerifyReport } from '@ipfsz/core'

/** Verify a tree, and note which files are read. `small`: they are read by threads, which find 9 bytes and a frame. */
async function verify (trees: Trees, root: CID, small: boolean): Promise<{ report: VerifyReport, read: string[] }> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-verify-'))
  onTestFinished(async () => { await rm(directory, { recursive: true }) })
  const read: string[] = []
  const threads = Object.assign(new SmallFiles({ path: directory }), {
    async run<Entry extends DirectoryLink> (_: SmallTask, entries: readonly Entry[]): Promise<SmallResult[]> {
      return entries.map(({ cid, name }) => {
        if (!small || name === 'sub') {
          return { type: 'left' }
        }

        read.push(cid.toString())

        return { type: 'file', size: 9, frames: 1 }
      })
    }
  })
  const reading: Parameters<typeof verifyTree>[1]['reading'] = {
    async verify (cid, options) {
      read.push(String(cid))

      return trees.files.verify(cid, options)
    }
  }
  const report = await verifyTree(root, {
    files: trees.files,
    reading,
    small: threads,
    waiting: new SpillStack<WaitingDirectory>(join(directory, 'waiting')),
    verified: new ClaimedBytes(() => {}),
    signal: new AbortController().signal
  })

  return { report, read }
}

describe('verifying a tree', () => {
  it.each([[true, 27n, 3], [false, 8n, 0]])('reads a file that occurs again once: small %s', async (
    small, size, frames
  ) => {
    const trees = new Trees()
    const [one, two] = [await trees.file('one'), await trees.file('on')]
    const other = CID.createV1(0x70, one.multihash)
    const sub = await trees.directory({ again: one, more: two })
    const root = await trees.directory({ one, sub })
    const { report, read } = await verify(trees, root, small)

    expect(read).toEqual([one, two].map(String))
    expect(report).toMatchObject({ files: 3, size, frames, blocks: 4n })
    // the same bytes as another kind of block are another file
    const both = await trees.directory({ one, sub: await trees.directory({ again: other }) })

    if (small) {
      expect((await verify(trees, both, true)).read).toEqual([one, other].map(String))
    } else {
      await expect(verify(trees, both, false)).rejects.toThrow('again')
    }
  })
})
