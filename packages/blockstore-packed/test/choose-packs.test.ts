import { expect, it } from 'vitest'
import { choosePacks } from '../src/store/choose-packs.ts'

const PACK_SIZE = 1000

/** Packs of a store, of which a share lives. */
function packsOf (
  ...packs: Array<{ size: number, live: number, isSealed?: boolean }>
): Parameters<typeof choosePacks>[0] {
  return {
    packs: packs.map((pack, i) => ({ id: String(i), isSealed: true, ...pack })),
    size: packs.reduce((sum, { size }) => sum + size, 0)
  }
}

it('chooses a pack once, although it is small and most of it is unused', () => {
  const small = Array.from({ length: 20 }, () => ({ size: 100, live: 0.1 }))
  const chosen = choosePacks(packsOf(...small), 0, PACK_SIZE)

  expect(chosen.toSorted((a, b) => Number(a) - Number(b))).toEqual(small.map((_, i) => String(i)))
})

it('chooses what has the least, until few bytes are unused, and what has nothing', () => {
  const store = packsOf(
    { size: 1000, live: 0.5 }, { size: 1000, live: 0.9 }, { size: 1000, live: 0 }, { size: 1000, live: 0.2 }
  )

  expect(choosePacks(store, 1, PACK_SIZE)).toEqual(['2'])
  expect(choosePacks(store, { bytes: 700 }, PACK_SIZE)).toEqual(['2', '3'])
  expect(choosePacks(store, 0, PACK_SIZE)).toEqual(['2', '3', '0', '1'])
})

it('chooses no pack that is being written, and small ones only if there are many', () => {
  const small = Array.from({ length: 16 }, () => ({ size: 100, live: 1 }))

  expect(choosePacks(packsOf({ size: 1000, live: 0, isSealed: false }, ...small), 0, PACK_SIZE)).toEqual([])
  expect(choosePacks(packsOf({ size: 100, live: 1 }, ...small), 0, PACK_SIZE)).toHaveLength(17)
})
