import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { lookUp } from '../src/store/look-up.ts'
import type { Key } from '../src/format/key.ts'

it('looks keys up in the order of the index, and returns what it found in their own order', async () => {
  const keys = Array.from({ length: 1000 }, (_, i): Key =>
    ({ bytes: createHash('sha256').update(String(i % 900)).digest(), kind: 0 }))
  const asked: string[] = []
  const found = await lookUp(keys, ({ bytes }) => {
    asked.push(Buffer.from(bytes).toString('hex'))

    return asked.length % 2 === 0 ? bytes : Promise.resolve(bytes)
  })

  expect(asked).toEqual(asked.toSorted())
  expect(found).toEqual(keys.map(({ bytes }) => bytes))
})
