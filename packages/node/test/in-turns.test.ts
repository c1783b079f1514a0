import fc from 'fast-check'
import { expect, it } from 'vitest'
import { InTurns } from '../src/tree/in-turns.ts'

const MAX_FILES = 4
const MAX_BYTES = 100

it('works on no more files and bytes at a time than it may, on a larger file alone, and on each once', async () => {
  await fc.assert(fc.asyncProperty(
    fc.array(fc.record({ size: fc.nat(3 * MAX_BYTES), ticks: fc.nat(5) }), { maxLength: 40 }),
    async files => {
      const turns = new InTurns(MAX_FILES, MAX_BYTES)
      const inWork = new Set<number>()
      const done: number[] = []

      await turns.each(files.map((_, i) => i), i => files[i].size, async i => {
        inWork.add(i)
        const bytes = Array.from(inWork, i => Math.min(files[i].size, MAX_BYTES)).reduce((sum, size) => sum + size, 0)
        expect(inWork.size).toBeLessThanOrEqual(MAX_FILES)
        expect(bytes).toBeLessThanOrEqual(MAX_BYTES)

        for (let tick = 0; tick < files[i].ticks; tick++) {
          await Promise.resolve()
        }

        inWork.delete(i)
        done.push(i)
      })

      expect(done.toSorted((a, b) => a - b)).toEqual(files.map((_, i) => i))
    }
  ))
})
