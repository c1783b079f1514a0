import { once } from 'node:events'
import { createServer } from 'node:http'
import { create } from 'kubo-rpc-client'
import { CID } from 'multiformats/cid'
import { describe, expect, it, onTestFinished } from 'vitest'
import { mended } from './installed.ts'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

const OURS = 'packages/node/src/kubo/kubo-client.ts'
const MIB = 1024 * 1024
const EMPTY = CID.parse('bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku')

async function serve (listener: RequestListener): Promise<string> {
  const server = createServer(listener)

  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('kubo-rpc-client', () => {
  it('accepts a block of 16 MiB, though no block has more than 2 MiB', async () => {
    const url = await serve((_, response) => { response.end(Buffer.alloc(16 * MIB)) })

    const block = await create({ url }).block.get(EMPTY)

    expect(block.byteLength, mended('kubo-rpc-client', OURS)).toBe(16 * MIB)
  })

  it('follows a redirect to another server, and returns its answer', async () => {
    const other = await serve((request, response) => {
      request.resume().once('end', () => { response.end('other') })
    })
    const url = await serve((_, response) => {
      response.writeHead(307, { location: `${other}/api/v0/block/get` })
      response.end()
    })

    const block = await create({ url }).block.get(EMPTY)

    expect(new TextDecoder().decode(block), mended('kubo-rpc-client', OURS)).toBe('other')
  })
})
