/**
 * A process of its own that works on a directory of blocks, for those who kill it or fill
 * its disk. Run as `node compressed-blockstore-process.ts put|convert STORE DIRECTORY CODEC [FIRST COUNT]`:
 * it puts so many blocks from a number on, or converts all there are. Of each block that
 * is done it writes a line, and with $KILL_AFTER it kills itself behind so many of them.
 * `put-large` says when it is ready, and puts one large block when it is told anything.
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

/** At once, whatever is on the other end: a line that waits would be lost with the process. */
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
