import { isMarked } from '@ipfsz/core'
import type { Metrics } from './metrics.ts'
import type { GatewayComponents } from '@ipfsz/gateway'

/** Count the original bytes that are read of compressed files. Stored frames are not read in this way. */
export function countDecompressed (
  files: GatewayComponents['fs'],
  metrics: Pick<Metrics, 'decompressed'>
): GatewayComponents['fs'] {
  return {
    stat: files.stat.bind(files),
    ls: files.ls.bind(files),
    readCost: files.readCost.bind(files),
    storedFile: files.storedFile.bind(files),
    cat: (cid, options) => isMarked(cid) ? count(files.cat(cid, options), metrics) : files.cat(cid, options)
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
