import type { PackedBlockstore, PlainBlock } from '../src/index.ts'

/** Which of some blocks a store has. Those that it has are right. */
export async function present (store: PackedBlockstore, blocks: readonly PlainBlock[]): Promise<number[]> {
  const found: number[] = []

  for (const [i, { cid, bytes }] of blocks.entries()) {
    if (await store.has(cid)) {
      const [got] = await Array.fromAsync(store.get(cid))

      if (Buffer.compare(got, bytes) !== 0) {
        throw new Error(`Block ${i} has other bytes`)
      }

      found.push(i)
    }
  }

  return found
}
