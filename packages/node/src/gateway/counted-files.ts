import type { Metrics } from './metrics.ts'
import type { FileHandle } from '@ipfsz/core'
import type { GatewayComponents } from '@ipfsz/gateway'

/** Count the original bytes that are read of compressed files. Stored frames are not read in this way. */
export function countDecompressed (
  files: GatewayComponents['fs'],
  metrics: Pick<Metrics, 'decompressed'>
): GatewayComponents['fs'] {
  return {
    stat: files.stat.bind(files),
    ls: files.ls.bind(files),
    open: async (cid, options) => {
      const file = await files.open(cid, options)
      const { codec = 'none' } = file.stats

      return codec === 'none' ? file : countReads(file, metrics)
    }
  }
}

function countReads (file: FileHandle, metrics: Pick<Metrics, 'decompressed'>): FileHandle {
  return {
    stats: file.stats,
    get stored () { return file.stored },
    get based () { return file.based },
    read: options => count(file.read(options), metrics),
    readCost: async options => file.readCost(options),
    close: () => { file.close() }
  }
}

async function * count (
  source: AsyncIterable<Uint8Array>,
  metrics: Pick<Metrics, 'decompressed'>
): AsyncGenerator<Uint8Array> {
  for await (const bytes of source) {
    metrics.decompressed(bytes.byteLength)
    yield bytes
  }
}
