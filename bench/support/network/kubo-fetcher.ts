/** Reads a file through a Kubo daemon, as fetcher.ts does with Helia. */
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { createZstdDecompress } from 'node:zlib'
import type { Fetched, KuboFetcherInit } from './messages.ts'

const { url, decompress, size, timeout } = JSON.parse(process.argv[2]) as KuboFetcherInit

const go = once(process, 'message')
process.send?.('ready')
await go

process.send?.(await fetchFile(), () => { process.exit() })

async function fetchFile (): Promise<Fetched> {
  const start = performance.now()
  const cpu = process.cpuUsage()
  let first = 0
  let read = 0
  let failure: string | undefined

  try {
    const { body } = await fetch(url, { method: 'POST', signal: AbortSignal.timeout(timeout) })
    const stream = Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0])

    for await (const chunk of decompress ? stream.compose(createZstdDecompress()) : stream) {
      first = first === 0 ? performance.now() - start : first
      read += (chunk as Buffer).byteLength
    }

    failure = read === size ? undefined : `read ${read} bytes of ${size}`
  } catch (err) {
    failure = err instanceof Error ? err.name : String(err)
  }

  const { user, system } = process.cpuUsage(cpu)

  return {
    first,
    wall: performance.now() - start,
    cpu: (user + system) / 1000,
    size: read,
    ...failure == null ? {} : { failure }
  }
}
