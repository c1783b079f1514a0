/** A process that puts blocks until it is killed, and prints a line for each that was acknowledged. */
import { writeSync } from 'node:fs'
import { PackedBlockstore } from '../src/index.ts'
import { texts } from './texts.ts'

const [directory, run] = process.argv.slice(2)
const store = new PackedBlockstore(directory)
await store.open()

for (const { cid, bytes } of texts(100_000, `run ${run}`)) {
  await store.put(cid, bytes)
  writeSync(1, '.\n')
}
