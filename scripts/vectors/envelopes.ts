/** Blocks at rest (docs/format.md, section 5): the CAR has what a store holds, under the CID of the block. */
import { CODES } from '@ipfsz/codecs'
import { codecs } from '@ipfsz/codecs/all'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { pages } from './data.ts'
import { varint } from './protobuf.ts'
import { original } from './vector.ts'
import type { CodecName } from '@ipfsz/codecs'
import type { VectorInit } from './vector.ts'

const IDENTITY = 0x3f5a0f
const BLOCK = pages(5000)
/** A complete envelope of the bytes "Hello". */
const LIKE_ENVELOPE = envelope(IDENTITY, 5, Buffer.from('Hello'))

function envelope (code: number, length: number | number[], payload: Uint8Array): Uint8Array {
  const prefix = [...varint(code), ...typeof length === 'number' ? varint(length) : length]

  return new Uint8Array(Buffer.concat([Uint8Array.from(prefix), payload]))
}

async function frame (codec: CodecName, bytes = BLOCK): Promise<Uint8Array> {
  return new Uint8Array(await codecs[codec]({ deterministic: true }).compress(bytes))
}

function vector (
  name: string,
  about: string,
  block: Uint8Array,
  value: () => Uint8Array | Promise<Uint8Array>,
  error?: string
): VectorInit {
  return {
    name,
    about,
    make: async blocks => {
      const cid = CID.createV1(raw.code, await sha256.digest(block))
      await blocks.put(cid, await value())

      return cid
    },
    expected: { ...error == null ? original(block) : { error }, atRest: true }
  }
}

function bad (name: string, about: string, value: () => Uint8Array | Promise<Uint8Array>, error = 'CorruptBlockError'):
VectorInit {
  return vector(`bad-envelope-${name}`, about, BLOCK, value, error)
}

export const ENVELOPES: readonly VectorInit[] = [
  ...(Object.keys(CODES) as CodecName[]).map(codec => vector(`envelope-${codec}`, 'A block as a frame', BLOCK,
    async () => envelope(CODES[codec], BLOCK.byteLength, await frame(codec)))),
  vector('envelope-none', 'A block as it is', BLOCK, () => BLOCK),
  vector('envelope-identity', 'A block that begins like an envelope, in one', LIKE_ENVELOPE,
    () => envelope(IDENTITY, LIKE_ENVELOPE.byteLength, LIKE_ENVELOPE)),
  vector('envelope-old', 'A block that begins like an envelope, from before the store was wrapped: the hash decides',
    LIKE_ENVELOPE, () => LIKE_ENVELOPE),
  bad('marker-alone', 'A marker and nothing after it', () => Uint8Array.from(varint(CODES.zstd))),
  bad('cut', 'A frame without its last byte', async () =>
    envelope(CODES.zstd, BLOCK.byteLength, (await frame('zstd')).slice(0, -1))),
  bad('longer', 'A byte after the frame', async () =>
    envelope(CODES.zstd, BLOCK.byteLength, Buffer.concat([await frame('zstd'), Uint8Array.of(0)]))),
  bad('length', 'Another length than that of the block', async () =>
    envelope(CODES.zstd, BLOCK.byteLength + 1, await frame('zstd'))),
  bad('length-identity', 'Another length than that of the block, which is stored as it is', () =>
    envelope(IDENTITY, BLOCK.byteLength + 1, BLOCK)),
  bad('length-long', 'A length with a byte more than it needs', async () =>
    envelope(CODES.zstd, [...varint(BLOCK.byteLength).slice(0, -1), 0xa7, 0], await frame('zstd'))),
  bad('bomb', 'A frame of 1 MiB', async () =>
    envelope(CODES.zstd, BLOCK.byteLength, await frame('zstd', new Uint8Array(1024 * 1024)))),
  bad('other', 'A frame of another block', async () =>
    envelope(CODES.zstd, BLOCK.byteLength, await frame('zstd', pages(5000, 2)))),
  bad('code', 'A marker that no codec has', () => envelope(0x3f5a08, 1, Uint8Array.of(0)), 'UnsupportedCodecError'),
  bad('large', 'A terabyte', async () => envelope(CODES.zstd, 2 ** 40, await frame('zstd')), 'BlockTooLargeError')
]
