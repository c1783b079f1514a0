/** A process that uses a store until it is done, or killed: `actor.ts ROLE DIRECTORY PREFIX COUNT`. */
import { writeSync } from 'node:fs'
import { PackedBlockstore } from '../src/index.ts'
import { present } from './check.ts'
import { texts } from './texts.ts'

const [role, directory, prefix, count] = process.argv.slice(2)
const blocks = texts(Number(count), prefix)
const store = new PackedBlockstore(directory, { packSize: 100_000 })
await store.open()

const ROLES: Record<string, () => Promise<void>> = {
  /** Put blocks one by one, and print a line for each that was acknowledged. */
  async put () {
    for (const { cid, bytes } of blocks) {
      await store.put(cid, bytes)
      writeSync(1, '.\n')
    }
  },

  /** Put blocks in batches, then those that all processes put. */
  async putMany () {
    await Array.fromAsync(store.putMany(blocks))
    await Array.fromAsync(store.putMany(texts(blocks.length, 'common')))
  },

  /** Delete blocks, some at a time, and repack. */
  async collect () {
    for (let start = 0; start < blocks.length; start += 20) {
      await Array.fromAsync(store.deleteMany(blocks.slice(start, start + 20).map(({ cid }) => cid)))
      await store.repack({ maxUnused: 0 })
    }
  },

  /** Read blocks until the end of stdin. */
  async read () {
    process.stdin.resume()

    while (!process.stdin.readableEnded) {
      const found = await present(store, blocks)
      writeSync(1, `${found.length}\n`)
    }
  },

  /** Read blocks, and say what an attempt to put one comes to. */
  async readOnly () {
    const found = await present(store, blocks)
    const [more] = texts(1, 'more')
    const put = await store.put(more.cid, more.bytes).then(() => 'stored', (err: Error) => err.name)
    writeSync(1, `${found.length} ${put}\n`)
    process.exit()
  }
}

await ROLES[role]()
await store.close()
