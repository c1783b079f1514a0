import { MemoryBlockstore } from 'blockstore-core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ipfsz, isMarked, unmark } from '../src/index.ts'
import type { AddAllOptions, AddCandidate, AddEvents, ImportResult, Ipfsz, WrittenCandidate } from '../src/index.ts'

/** A directory: its entries by name, each a directory or the text of a file. */
interface Tree { [name: string]: Tree | string }

const trees = fc.letrec<{ tree: Tree, entry: Tree | string }>(tie => ({
  entry: fc.oneof({ maxDepth: 4 }, fc.constantFrom('', 'short', 'text that shrinks '.repeat(200)), tie('tree')),
  tree: fc.dictionary(fc.stringMatching(/^[a-c.]{0,2}[a-c]$/), tie('entry'), { maxKeys: 6 })
})).tree

function * walk (tree: Tree, path: string): Generator<AddCandidate> {
  yield { path }

  for (const name of Object.keys(tree).toSorted()) {
    const entry = tree[name]

    if (typeof entry === 'string') {
      yield { path: `${path}/${name}`, content: new TextEncoder().encode(entry) }
    } else {
      yield * walk(entry, `${path}/${name}`)
    }
  }
}

async function addAll (
  fs: Ipfsz,
  candidates: Iterable<AddCandidate>,
  options: AddAllOptions = {}
): Promise<ImportResult[]> {
  const results: ImportResult[] = []

  for await (const result of fs.addAll(candidates, options)) {
    results.push(result)
  }

  return results
}

/** Files of a directory that follow each other are one candidate. */
function joined (candidates: readonly AddCandidate[]): AddCandidate[] {
  const all: AddCandidate[] = []

  for (const candidate of candidates) {
    const last = all.at(-1)

    if ('written' in candidate && last != null && 'written' in last && last.path === candidate.path) {
      all[all.length - 1] = { path: last.path, written: [...last.written, ...candidate.written] }
    } else {
      all.push(candidate)
    }
  }

  return all
}

const shown = ({ cid, path, size }: ImportResult): string => `${path} ${cid} ${size}`

describe('addAll with candidates that come depth first', () => {
  it('makes the same directories, each as soon as it is complete', async () => {
    await fc.assert(fc.asyncProperty(trees, fc.boolean(), async (tree, wrapWithDirectory) => {
      const blockstore = new MemoryBlockstore()
      const fs = ipfsz({ blockstore })
      const [usual, sooner] = [
        await addAll(fs, walk(tree, 'tree'), { wrapWithDirectory }),
        await addAll(fs, walk(tree, 'tree'), { wrapWithDirectory, depthFirst: true })
      ]

      expect(sooner.map(shown).toSorted()).toEqual(usual.map(shown).toSorted())
      expect(shown(sooner[sooner.length - 1])).toBe(shown(usual[usual.length - 1]))
    }), { numRuns: 60 })
  })

  it('shards a directory as otherwise, and counts no subdirectories for that', async () => {
    const tree: Tree = { a: {}, z: 'last' }

    for (let i = 0; i < 300; i++) {
      tree[`file ${'x'.repeat(20)} ${i}`] = `${i}`
      ;(tree.a as Tree)[`directory ${'y'.repeat(30)} ${i}`] = { file: `${i}` }
    }

    const fs = ipfsz({ blockstore: new MemoryBlockstore() })

    for (const shardSplitThresholdBytes of [1000, 20_000, 26_000, 1_000_000]) {
      const options = { shardSplitThresholdBytes }
      const usual = await addAll(fs, walk(tree, 'tree'), options)
      const sooner = await addAll(fs, walk(tree, 'tree'), { ...options, depthFirst: true })

      expect(String(sooner[sooner.length - 1].cid)).toBe(String(usual[usual.length - 1].cid))
    }
  })
})

describe('addAll with files that are written already', () => {
  it('gives them their places, and reads nothing', async () => {
    await fc.assert(fc.asyncProperty(trees, async tree => {
      const blockstore = new MemoryBlockstore()
      const fs = ipfsz({ blockstore })
      const usual = await addAll(fs, walk(tree, 'tree'))
      const files = new Map(usual.map(result => [result.path, result]))
      const candidates = Array.from(walk(tree, 'tree'), (candidate): AddCandidate => {
        const { cid, size } = files.get(candidate.path) ?? {}

        if (cid == null || size == null || !('content' in candidate)) {
          return candidate
        }

        const { 0: directory, 1: name } = /^(.*)\/(.*)$/.exec(candidate.path ?? '')?.slice(1) ?? []

        return { path: directory, written: [{ name, cid, size, blocks: [{ cid: unmark(cid), size: Number(size) }] }] }
      })
      const placed: ImportResult[] = []
      const onWritten = async ({ path, written }: WrittenCandidate): Promise<void> => {
        placed.push(...written.map(({ name, cid, size }) => ({ path: `${path}/${name}`, cid, size })))
      }

      for (const depthFirst of [true, false]) {
        placed.length = 0
        placed.push(...await addAll(fs, joined(candidates), { depthFirst, onWritten }))

        expect(placed.map(shown).toSorted()).toEqual(usual.map(shown).toSorted())
      }
    }), { numRuns: 40 })
  })

  it('reports their blocks that occur several times', async () => {
    const fs = ipfsz({ blockstore: new MemoryBlockstore() })
    const cid = await fs.addBytes(new TextEncoder().encode('text that shrinks '.repeat(200)))
    const file = { cid, size: 100n, blocks: [{ cid: unmark(cid), size: 100 }], repeated: 7 }
    const written = ['a', 'b'].map(name => ({ name, ...file }))
    const repeated: unknown[] = []
    const onProgress = (event: AddEvents): void => {
      if (event.type === 'ipfsz:add:repeated') {
        const { path, size, isInFile } = event.detail
        repeated.push([path, size, isInFile])
      }
    }
    const [directory, ...others] = await addAll(fs, [{ path: 'd', written }], { onProgress })

    expect(isMarked(cid)).toBe(true)
    expect(isMarked(directory.cid)).toBe(true)
    expect(others).toEqual([])
    expect(repeated).toEqual([['d/a', 7, true], ['d/b', 100, false], ['d/b', 7, true]])
  })

  it('refuses an entry of a directory that was complete: what was in it would be lost', async () => {
    const content = new TextEncoder().encode('text')
    const files = ['tree/a/first', 'tree/b/second', 'tree/a/third'].map(path => ({ path, content }))

    await expect(addAll(ipfsz({ blockstore: new MemoryBlockstore() }), files, { depthFirst: true }))
      .rejects.toMatchObject({ name: 'InvalidParametersError' })
  })
})
