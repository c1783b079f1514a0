import type { CompressionStats } from '../unixfs.ts'

/** What decodes a whole stored stream, by codec. LZO's tool warns about more than one frame, and exits with 2. */
const DECODERS: Readonly<Record<string, string>> = {
  zstd: 'zstd -dc',
  gzip: 'gzip -dc',
  lz4: 'lz4 -dc',
  lzo: 'lzop -dc',
  snappy: 'a decoder of the framing format of Snappy',
  brotli: 'brotli -dc'
}

/**
 * With what others get the original from the stored stream of a file, which its plain CID names. Undefined: with
 * IPFSz alone, so that others can only pin and provide it. Its frames are rearranged, or need a base, and every decoder
 * refuses them; or they are several of Brotli, whose tool reads one (docs/codecs.md has who was asked). Undefined for
 * files that are not compressed, too.
 *
 * @param stats - what `stat` and `ls` say of the marked CID
 */
export function readableWith (
  { codec, frames = 0, filters, base }: Partial<Pick<CompressionStats, 'codec' | 'frames' | 'filters' | 'base'>>
): string | undefined {
  const isOriginal = filters == null && base == null && (codec !== 'brotli' || frames <= 1)

  return codec == null || !isOriginal ? undefined : DECODERS[codec]
}
