import { once } from 'node:events'
import { createServer } from 'node:http'
import * as dagPb from '@ipld/dag-pb'
import { UnixFS } from 'ipfs-unixfs'
import { varint } from 'multiformats'
import { CID } from 'multiformats/cid'
import { onTestFinished } from 'vitest'
import { getBlock } from './fixtures.ts'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Blockstore } from 'interface-blockstore'

/** `{ roots: [], version: 1 }` with its length. */
export const CAR_HEADER = Buffer.from('11a265726f6f7473806776657273696f6e01', 'hex')

export interface CarSection {
  cid: CID
  bytes: Uint8Array
}

/** A request, and ways to answer it. */
export interface Asked {
  /** The path and the query. */
  url: string
  /** How many requests the gateway has had, with this one. */
  number: number
  isCar: boolean
  response: ServerResponse
  /** The blocks that an honest gateway sends. */
  blocks (): Promise<CarSection[]>
  /** Answer as an honest gateway does. */
  answer (): Promise<void>
  /** Answer with these bytes, of the type that was asked for. */
  send (bytes: Uint8Array, headers?: Record<string, string>): Promise<void>
}

export interface FakeGateway {
  url: string
  /** The path and query of every request, in order. */
  requests: string[]
  /** How many responses were cut by the client. */
  readonly aborted: number
  /** Bytes of bodies that were written to the system. */
  readonly sent: number
}

type Blocks = Pick<Blockstore, 'get' | 'has'>

/** A trustless gateway on loopback, as honest as `answer` lets it be. Closed after the test. */
export async function startGateway (
  blocks: Blocks,
  answer: (asked: Asked) => Promise<void> = async asked => asked.answer()
): Promise<FakeGateway> {
  const requests: string[] = []
  let aborted = 0
  let sent = 0

  const server = createServer((request, response) => {
    const { url = '/' } = request
    const isCar = url.includes('format=car')
    requests.push(url)
    response.once('close', () => {
      aborted += response.writableFinished ? 0 : 1
      sent += request.socket.bytesWritten
    })

    const asked: Asked = {
      url,
      number: requests.length,
      isCar,
      response,
      blocks: async () => blocksOf(new URL(url, 'http://gateway'), isCar, blocks),
      async answer () {
        const sections = await asked.blocks()

        if (sections.length === 0) {
          response.writeHead(404).end()
        } else {
          await asked.send(isCar ? encodeCar(sections) : sections[0].bytes)
        }
      },
      async send (bytes, headers = {}) {
        response.writeHead(200, { 'content-type': isCar ? 'application/vnd.ipld.car; version=1' : RAW, ...headers })
        response.end(bytes)
      }
    }

    answer(asked).catch(() => { response.destroy() })
  })

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requests,
    get aborted () { return aborted },
    get sent () { return sent }
  }
}

const RAW = 'application/vnd.ipld.raw'

export function encodeCar (sections: readonly CarSection[]): Buffer {
  return Buffer.concat([CAR_HEADER, ...sections.map(encodeSection)])
}

export function encodeSection ({ cid, bytes }: CarSection): Buffer {
  const length = cid.byteLength + bytes.byteLength

  return Buffer.concat([varint.encodeTo(length, new Uint8Array(varint.encodingLength(length))), cid.bytes, bytes])
}

/** The blocks that a URL asks for: up to the first that is missing. */
async function blocksOf ({ pathname, searchParams }: URL, isCar: boolean, blocks: Blocks): Promise<CarSection[]> {
  const [, , root, ...names] = pathname.split('/')
  const [from, to] = (searchParams.get('entity-bytes') ?? '0:*').split(':')
  const range = { from: Number(from), to: to === '*' ? Number.POSITIVE_INFINITY : Number(to) }
  const sections: CarSection[] = []
  const sent = new Set<string>()

  const add = async (cid: CID): Promise<Uint8Array> => {
    if (!await blocks.has(cid)) {
      throw new Error('missing')
    }

    const bytes = await getBlock(cid, blocks)

    if (!sent.has(cid.toString())) {
      sent.add(cid.toString())
      sections.push({ cid, bytes })
    }

    return bytes
  }

  const walk = async (cid: CID, position: number): Promise<void> => {
    const bytes = await add(cid)
    const { Links, Data } = cid.code === dagPb.code ? dagPb.decode(bytes) : { Links: [], Data: undefined }
    const unixfs = Data == null ? undefined : UnixFS.unmarshal(Data)
    let at = position + (unixfs?.data?.byteLength ?? 0)

    if (unixfs?.isDirectory() === true) {
      for (const { Hash } of searchParams.get('dag-scope') === 'all' ? Links : []) {
        await walk(Hash, 0)
      }

      return
    }

    for (const [i, { Hash }] of Links.entries()) {
      const end = at + Number(unixfs?.blockSizes[i])

      if (at <= range.to && end > range.from) {
        await walk(Hash, at)
      }

      at = end
    }
  }

  try {
    let cid = CID.parse(root)

    for (const name of names) {
      const { Links } = dagPb.decode(await add(cid))
      cid = Links.find(({ Name }) => Name === decodeURIComponent(name))?.Hash as CID
    }

    await (isCar && searchParams.get('dag-scope') !== 'block' ? walk(cid, 0) : add(cid))
  } catch (err) {
    if ((err as Error).message !== 'missing') {
      throw err
    }
  }

  return sections
}
