/**
 * A process that works on a directory of blocks, for tests that kill it or fill its disk:
 *
 *   node compressed-blockstore-process.ts put|put-large|convert STORE DIRECTORY CODEC [FIRST COUNT]
 *
 * `put` writes COUNT blocks, numbered from FIRST; `convert` converts all blocks of the directory.
 * `put-large` writes the line `ready`, waits for input, and puts one large block. Writes a line
 * for each finished block; with $KILL_AFTER=N it kills itself after N of them.
 */
import { once } from 'node:events'
import { writeSync } from 'node:fs'
import { CompressedBlockstore, convert } from '@ipfsz/blockstore-compressed'
import { makeBlock, makeLargeBlock, openFiles } from './compressed-blockstore-blocks.ts'
import type { FileStore } from './compressed-blockstore-blocks.ts'
import type { CodecName } from '@ipfsz/codecs'

const [verb, files, directory, codec, first, count] = process.argv.slice(2)
const child = openFiles(files as FileStore, directory)

let said = 0

/** Write synchronously: a buffered line would be lost with the process. */
function say (text: string): void {
  writeSync(1, `${text}\n`)

  if (++said === Number(process.env.KILL_AFTER)) {
    process.kill(process.pid, 'SIGKILL')
  }
}

try {
  if (verb === 'put') {
    const store = new CompressedBlockstore(child, { codec: codec as CodecName })
    await store.open()

    for (let number = Number(first); number < Number(first) + Number(count); number++) {
      const { cid, bytes } = await makeBlock(number)
      await store.put(cid, bytes)
      say(String(number))
    }
  } else if (verb === 'put-large') {
    const store = new CompressedBlockstore(child, { codec: codec as CodecName })
    const { cid, bytes } = await makeLargeBlock()
    say('ready')
    await once(process.stdin, 'data')
    await store.put(cid, bytes)
  } else {
    const report = await convert(child, { codec: codec as CodecName, onProgress: ({ detail }) => say(detail.outcome) })
    say(JSON.stringify(report))
  }
} catch (err) {
  say(`${(err as Error).name}: ${(err as Error).message}`)
  process.exitCode = 1
}
