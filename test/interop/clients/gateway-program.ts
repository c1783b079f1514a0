/** A gateway in a process of its own, for gateway-process.ts. It does what its parent asks for. */
import { once } from 'node:events'
import { constants, zstdCompressSync } from 'node:zlib'
import { unixfs } from '@helia/unixfs'
import { createGateway } from '@ipfsz/gateway'
import { createNodeServer } from '@ipfsz/gateway/node'
import { codecs } from '@ipfsz/codecs/all'
import { ipfsz, mark, MARKERS, unmark } from '@ipfsz/core'
import * as dagPb from '@ipld/dag-pb'
import { MemoryBlockstore } from 'blockstore-core'
import { TLS } from '../../support/certificate.ts'
import type { AddedFile, AddRequest, Report } from './gateway-process.ts'
import type { Codec } from '@ipfsz/codecs'
import type { Ipfsz } from '@ipfsz/core'
import type { NodeServer } from '@ipfsz/gateway/node'
import type { CID } from 'multiformats/cid'
import type { AddressInfo } from 'node:net'

/** No limit of the gateway ends a response before the process is killed, in milliseconds. */
const PATIENCE = 3_600_000

/** Digests of blocks of which no read ever ends. */
const held = new Set<string>()

class HoldingBlockstore extends MemoryBlockstore {
  override async * get (...args: Parameters<MemoryBlockstore['get']>): ReturnType<MemoryBlockstore['get']> {
    if (held.has(args[0].multihash.digest.toString())) {
      await new Promise(() => {})
    }

    yield * super.get(...args)
  }
}

const blockstore = new HoldingBlockstore()
const fs = ipfsz({ blockstore }, { codecs: Object.values(codecs).map(create => create()) })
const gateway = createGateway({ fs, blocks: blockstore }, {
  limits: { startTimeout: PATIENCE, stallTimeout: PATIENCE }
})

/** zstd with parameters that our own codec does not use, as other writers may. */
function zstdWith (params: Record<number, number>): Codec {
  return {
    ...codecs.zstd(),
    compress: async bytes => zstdCompressSync(bytes, { pledgedSrcSize: bytes.byteLength, params })
  }
}

const FOREIGN = {
  // a window of 16 MiB, which only frames as large may have
  wide: { [constants.ZSTD_c_windowLog]: 24 },
  checksummed: { [constants.ZSTD_c_checksumFlag]: 1 }
}

async function add ({ bytes, codec, frameSize, level, form, holds }: AddedFile): Promise<string> {
  const cid = form === 'stream'
    ? mark(await unixfs({ blockstore }).addBytes(bytes, { rawLeaves: false }), MARKERS[codec])
    : await writer(form).addBytes(bytes, {
      compression: {
        codec,
        detect: false,
        ...frameSize == null ? {} : { frameSize },
        ...level == null ? {} : { level }
      }
    })

  if (holds === true) {
    await hold(cid)
  }

  return cid.toString()
}

function writer (form: AddedFile['form']): Pick<Ipfsz, 'addBytes'> {
  return form === 'wide' || form === 'checksummed' ? ipfsz({ blockstore }, { codecs: [zstdWith(FOREIGN[form])] }) : fs
}

/** Let reads of a block in the second half of a file never end, so that a response stops there. */
async function hold (cid: CID): Promise<void> {
  const { Links } = dagPb.decode(Buffer.concat(await Array.fromAsync(blockstore.get(unmark(cid)))))

  held.add(Links[Math.floor(Links.length * 3 / 4)].Hash.multihash.digest.toString())
}

/** The gateway, which reports what it was asked for. */
async function answer (request: Request): Promise<Response> {
  const response = await gateway(request)
  const { method, url, headers } = request

  report({
    answered: {
      method,
      url,
      range: headers.get('range'),
      status: response.status,
      contentRange: response.headers.get('content-range'),
      encoding: response.headers.get('content-encoding')
    }
  })

  return response
}

async function listen (server: NodeServer): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return (server.address() as AddressInfo).port
}

function report (message: Report): void {
  process.send?.(message)
}

process.on('disconnect', () => { process.exit() })
process.on('message', async ({ id, file }: AddRequest) => {
  try {
    report({ added: { id, cid: await add(file) } })
  } catch (err) {
    report({ added: { id, error: String(err) } })
  }
})

const [http, https] = await Promise.all(
  [{}, { tls: TLS }].map(async init => listen(createNodeServer(answer, { ...init, idleTimeout: PATIENCE })))
)

report({ listening: { http: `http://127.0.0.1:${http}`, https: `https://127.0.0.1:${https}` } })
