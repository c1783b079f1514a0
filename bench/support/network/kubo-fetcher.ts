/** Reads a file through a Kubo daemon, as fetcher.ts does with Helia. */
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { createZstdDecompress } from 'node:zlib'
import { measureFetch } from './measure-fetch.ts'
import type { KuboFetcherInit } from './messages.ts'

const { url, decompress, size, timeout } = JSON.parse(process.argv[2]) as KuboFetcherInit

const go = once(process, 'message')
process.send?.('ready')
await go

process.send?.(await measureFetch(readFile(), size), () => { process.exit() })

async function * readFile (): AsyncGenerator<Buffer> {
  const { body } = await fetch(url, { method: 'POST', signal: AbortSignal.timeout(timeout) })
  const stream = Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0])

  yield * decompress ? stream.compose(createZstdDecompress()) : stream
}
