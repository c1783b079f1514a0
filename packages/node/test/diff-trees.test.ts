import { describe, expect, it } from 'vitest'
import { diffTrees } from '../src/dag/diff-trees.ts'
import { Trees } from './trees.ts'
import type { DiffLimits } from '../src/dag/diff-trees.ts'
import type { CID } from 'multiformats/cid'

const { signal } = new AbortController()
const LEVELS = 60

/** `added a/b` and so on. */
async function diff (trees: Trees, [before, after]: readonly CID[], limits?: Partial<DiffLimits>): Promise<string[]> {
  const found: string[] = []

  for await (
    const { change, path, sameAs } of diffTrees(before, after, {
      before: trees.files,
      after: trees.files,
      signal,
      limits
    })
  ) {
    found.push(`${change} ${path}${sameAs == null ? '' : ` = ${sameAs}`}`)
  }

  return found
}

describe('diffTrees', () => {
  it('compares two directories that occur together at 2^60 paths once', async () => {
    const trees = new Trees()
    const roots = [await trees.doubled('1', LEVELS), await trees.doubled('2', LEVELS)]
    const found = await diff(trees, roots)

    expect(found).toHaveLength(LEVELS)
    expect(found[0]).toBe(`changed ${'a/'.repeat(LEVELS - 1)}file`)
    expect(found[1]).toBe(`changed ${'a/'.repeat(LEVELS - 2)}b = ${'a/'.repeat(LEVELS - 1).slice(0, -1)}`)
    expect(found.at(-1)).toBe('changed b = a')
  })

  it('refuses trees that are too deep, and too many entries, within the limits', { tags: 'slow' }, async () => {
    const trees = new Trees()
    const roots = [await trees.doubled('1', LEVELS), await trees.doubled('2', LEVELS)]
    const refused = expect.objectContaining({ name: 'TreeEntryError' })

    await expect(diff(trees, roots, { depth: LEVELS - 1 })).rejects.toEqual(refused)
    await expect(diff(trees, roots, { depth: LEVELS })).resolves.toHaveLength(LEVELS)
    await expect(diff(trees, roots, { held: 2 * LEVELS - 2 })).rejects.toEqual(refused)
    await expect(diff(trees, roots, { held: 2 * LEVELS - 1 })).resolves.toHaveLength(LEVELS)
    // without the memory of pairs, each of the paths is walked
    await expect(diff(trees, roots, { pairs: 0, listed: 10_000 })).rejects.toEqual(refused)
  })

  it('holds only the entries that differ', async () => {
    const trees = new Trees()
    const file = await trees.file('same')
    const entries = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`${i}`, file]))
    const before = await trees.directory({ ...entries, 0: await trees.file('1') })
    const after = await trees.directory({ ...entries, x: await trees.file('2') })

    await expect(diff(trees, [before, after], { held: 5 })).resolves.toEqual(['changed 0', 'added x'])
  })

  it('tells an entry that became something else', async () => {
    const trees = new Trees()
    const before = await trees.directory({ x: await trees.file('1'), y: await trees.directory({}) })
    const after = await trees.directory({ x: await trees.directory({}), y: await trees.file('1') })

    await expect(diff(trees, [before, after])).resolves.toEqual(['changed x', 'changed y'])
  })

  it('ends when it is interrupted', async () => {
    const trees = new Trees()
    const roots = [await trees.doubled('1', 3), await trees.doubled('2', 3)] as const
    const interrupted = AbortSignal.abort(new DOMException('interrupted', 'AbortError'))
    const differences = diffTrees(...roots, { before: trees.files, after: trees.files, signal: interrupted })

    await expect(differences.next()).rejects.toMatchObject({ name: 'AbortError' })
  })
})
