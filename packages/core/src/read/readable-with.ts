import { isCutShort } from '../format/needs-ipfsz.ts'
import type { CompressionStats } from '../unixfs.ts'

/** The tool that decodes a whole stored stream, by codec. lzop warns about more than one frame, and exits with 2. */
const DECODERS: Readonly<Record<string, string>> = {
  zstd: 'zstd -dc',
  gzip: 'gzip -dc',
  lz4: 'lz4 -dc',
  lzo: 'lzop -dc',
  snappy: "a decoder of Snappy's framing format",
  brotli: 'brotli -dc'
}

/**
 * The tool that decodes the stored stream of a file, which its plain CID refers to, for readers without IPFSz.
 * Undefined if only IPFSz can read it, so that other nodes can only pin and provide it: its frames have filters or a
 * base, which every decoder refuses, or there are several Brotli frames, of which its tool reads only the first
 * (docs/codecs.md lists the tools that were tried). Also undefined for files that are not compressed.
 *
 * @param stats - what `stat` and `ls` return for the marked CID
 */
export function readableWith (
  { codec, frames = 0, filters, base }: Partial<Pick<CompressionStats, 'codec' | 'frames' | 'filters' | 'base'>>
): string | undefined {
  return codec == null || filters != null || base != null || isCutShort(codec, frames) ? undefined : DECODERS[codec]
}
