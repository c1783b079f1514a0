/**
 * Streams that other tools made (docs/format.md, section 7). What tools write depends on their version, so it is here
 * as it was once written, of `yes 'All work and no play makes a dull stream.' | head -n 2000`.
 */
import type { CodecName } from '@ipfsz/codecs'

export const DULL = Buffer.from('All work and no play makes a dull stream.\n'.repeat(2000))

/** `gzip -9 -n`, 1.12. */
const GZIP = (
  'H4sIAAAAAAACA+3KuQ2AMBAAsJ4pbgJ2YJSToEpIEI8Q28MUVK7tqda4+14i2xytx1bziTXLckTGfH16nPuS6zhMpmmapmmapmma' +
  'pmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmma' +
  'pmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmma' +
  'pmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmmapmma' +
  'pmmapmmapmma5o/zBXsJGGYgSAEA'
)

/** `lz4 -9 -B4 -BD`, 1.9.4: blocks that depend on each other. */
const LZ4 = (
  'BCJNGERAXjUBAAD/G0FsbCB3b3JrIGFuZCBubyBwbGF5IG1ha2VzIGEgZHVsbCBzdHJlYW0uCioA////////////////////////' +
  '////////////////////////////////////////////////////////////////////////////////////////////////////' +
  '////////////////////////////////////////////////////////////////////////////////////////////////////' +
  '////////////////////////////////////////////////////////////////////////////////////////////////////' +
  '/////////////////75QZCBubyBSAAAADyoA////////////////////////////////////////////////////////////////' +
  '////////////////////////////////UFBlYW0uCgAAAACM6ori'
)

/** `lzop`, 1.04. */
const LZO = (
  'iUxaTwANChoKEEAgoAlAAQUDAAANAACBpGsJRnoAAAAAADQgA8kAAUggAAAB0Ou9lPAAGEFsbCB3b3JrIGFuZCBubyBwbGF5IG1h' +
  'a2VzIGEgZHVsbCBzdHJlYW0uCiAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' +
  'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' +
  'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABjpAAAKnJlYW0uCkFs' +
  'bCB3b3JrIGFuZCBubyBwbGF5IG1ha2VzIGEgZHVsbCBzdHJlYW0uCkFsbCB3b3JrIGFuZCAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' +
  'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' +
  'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAS6QAD2VzIGEgZHVsbCBzdHJlYW0uChEAAAAAAAA='
)

/** `zstd -19 --check`, and `zstd --long=24` of standard input, 1.5.4. */
const ZSTD = 'KLUv/aQgSAEAjQEAooIJEMDrdHvF1iRDcK70NeiYYwEgpM+g0z9Z3XPo7PJLyagNFw1R/UUBAJo/arkqA/uKh0M='
export const LONG = Buffer.from(
  'KLUv/QRwpQEApAJBbGwgd29yayBhbmQgbm8gcGxheSBt' +
  'YWtlcyBhIGR1bGwgc3RyZWFtLgoBAJo/arkqA/uKh0M=',
  'base64'
)

/** `brotli`, 1.0.9. */
const BROTLI = 'gfpACnSOBBsXuQdzJ2qFIDI3CeLCVm91sAEnAIGF8WR+n17HpnwZ0AFYG9enOuxPQBA='

/** Snappy is missing: its chunks are the same as in a file with a header. */
export const TOOL_STREAMS = Object.entries({ zstd: ZSTD, gzip: GZIP, lz4: LZ4, lzo: LZO, brotli: BROTLI })
  .map(([codec, text]) => [codec as CodecName, Buffer.from(text, 'base64')] as const)
