import { MemoryDatastore } from 'datastore-core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countEntries, files, linksOn, listed, mortal, originals } from './link-fixtures.ts'
import type { Links } from '../src/index.ts'

/** A change of links. Numbers are indexes of `originals` and `files`. */
type Change = ['add', number, number] | ['delete original', number] | ['delete file', number]

const changes: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(fc.constant('add' as const), fc.nat(3), fc.nat(3)),
  fc.tuple(fc.constant('delete original' as const), fc.nat(3)),
  fc.tuple(fc.constant('delete file' as const), fc.nat(3))
)

async function apply (links: Links, change: Change): Promise<void> {
  if (change[0] === 'add') {
    await links.add(originals[change[1]], files[change[2]])
  } else {
    await links.delete(change[0] === 'delete file' ? files[change[1]] : originals[change[1]])
  }
}

function applyToTable (table: ReadonlyMap<number, number>, change: Change): Map<number, number> {
  if (change[0] === 'delete file') {
    return new Map([...table].filter(([, file]) => file !== change[1]))
  }

  const others = [...table].filter(([original]) => original !== change[1])

  return new Map(change[0] === 'add' ? [...others, [change[1], change[2]]] : others)
}

function tableLines (table: ReadonlyMap<number, number>): string[] {
  return [...table].map(([original, file]) => `${originals[original]} ${files[file]}`).toSorted()
}

/** Expect every lookup to agree with the listing. */
async function expectConsistent (links: Links): Promise<void> {
  const all = await Array.fromAsync(links.list())

  for (const original of originals) {
    expect(await links.get(original)).toEqual(all.find(link => link.original.equals(original))?.compressed)
  }

  for (const file of files) {
    const linked = all.filter(link => link.compressed.equals(file)).map(link => String(link.original))
    const found = await links.get(file)

    expect(found == null ? linked : linked.includes(String(found))).toEqual(found == null ? [] : true)
  }
}

describe('links', () => {
  it('match a simple table after any changes', async () => {
    await fc.assert(fc.asyncProperty(fc.array(changes, { maxLength: 20 }), async (list) => {
      const links = linksOn(new MemoryDatastore())
      let table: ReadonlyMap<number, number> = new Map()

      for (const change of list) {
        await apply(links, change)
        table = applyToTable(table, change)
        expect(await listed(links)).toEqual(tableLines(table))
      }

      await expectConsistent(links)
    }), { numRuns: 100 })
  })

  it('are as before or as after a change that is killed at any write, in both directions', async () => {
    await fc.assert(fc.asyncProperty(fc.array(changes, { maxLength: 8 }), changes, async (list, last) => {
      const before = list.reduce(applyToTable, new Map<number, number>())
      const after = applyToTable(before, last)

      for (let writes = 0; ; writes++) {
        const datastore = new MemoryDatastore()

        for (const change of list) {
          await apply(linksOn(datastore), change)
        }

        const killed = await apply(linksOn(mortal(datastore, writes)), last).then(
          () => false,
          (err: Error) => err.message === 'killed'
        )
        const links = linksOn(datastore)
        const lines = await listed(links)

        if (last[0] === 'delete file') {
          // the file has a link for each of its originals, and each is deleted atomically
          expect(tableLines(before)).toEqual(expect.arrayContaining(lines))
          expect(lines).toEqual(expect.arrayContaining(tableLines(after)))
        } else {
          expect([tableLines(before), tableLines(after)]).toContainEqual(lines)
        }

        await expectConsistent(links)

        // repeating the change completes it, and leaves nothing behind
        await apply(links, last)
        await links.prune()
        expect(await listed(links)).toEqual(tableLines(after))
        expect(await countEntries(datastore)).toBe(after.size + new Set(after.values()).size)

        if (!killed) {
          break
        }
      }
    }), { numRuns: 60 })
  })
})
