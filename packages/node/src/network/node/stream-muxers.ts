import { yamux } from '@libp2p/yamux'
import type { CompressionComponents } from '@ipfsz/libp2p-compression'
import type { StreamMuxerFactory } from '@libp2p/interface'

/**
 * How many bytes of a stream are buffered until it is read, 32 MiB. A Helia sends all blocks that we ask for on one
 * stream. libp2p aborts a stream that receives more than this before its protocol is negotiated; its default is 4 MiB.
 */
const MAX_READ_BUFFER = 32 * 1024 * 1024

/**
 * The muxers of connections, the preferred one first. The plain one comes last, for peers that do not compress: if only
 * one of two nodes had it first, each could choose another one.
 */
export async function streamMuxers (
  isCompressed: boolean
): Promise<Array<(components: CompressionComponents) => StreamMuxerFactory>> {
  const plain = yamux({ streamOptions: { maxReadBufferLength: MAX_READ_BUFFER } })

  if (!isCompressed) {
    return [plain]
  }

  const { compress } = await import('@ipfsz/libp2p-compression')

  return [...compress(plain), plain]
}
