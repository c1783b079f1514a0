/**
 * Keeps what is uploaded, compressed, and serves it over HTTP:
 *
 *     curl --data-binary @words.txt http://127.0.0.1:8080/words.txt
 *     curl --compressed http://127.0.0.1:8080/ipfs/CID
 */
import { createServer } from 'node:http'
import { createGateway } from '@ipfsz/gateway'
import { createNodeHandler } from '@ipfsz/gateway/node'
import { openRepo } from '@ipfsz/node'

/** The most bytes of an upload. */
const MAX_SIZE = 1024 ** 3
/** How often what nobody has pinned is deleted, in milliseconds. */
const DAY = 24 * 60 * 60 * 1000

const [, , directory = 'repo', port = '8080'] = process.argv
const repo = await openRepo(directory)
const serve = createNodeHandler(createGateway({ fs: repo.files, blocks: repo.blocks }))

const server = createServer((request, response) => {
  if (request.method !== 'POST') {
    serve(request, response)
    return
  }

  keep(request.url?.slice(1, 256) || 'upload', request).then(
    answer => response.writeHead(201).end(answer),
    (err: unknown) => response.writeHead(err instanceof RangeError ? 413 : 500).end(`${String(err)}\n`)
  )
})

async function keep (name: string, bytes: AsyncIterable<Uint8Array>): Promise<string> {
  // pinned, and on disk when it resolves
  const { cid, size, storedSize } = await repo.add(atMost(MAX_SIZE, bytes), { name })

  return `${cid}\t${size}\t${storedSize}\n`
}

async function * atMost (size: number, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    if ((size -= chunk.byteLength) < 0) {
      throw new RangeError(`The upload has more than ${MAX_SIZE} bytes`)
    }

    yield chunk
  }
}

const collecting = setInterval(() => { repo.collect().then(console.info, console.error) }, DAY)

process.once('SIGTERM', () => {
  clearInterval(collecting)
  server.close(() => { repo.close().catch(console.error) })
})
server.listen(Number(port), '127.0.0.1', () => { console.info(server.address()) })
