import { sha256Sync } from '@ipfsz/utils/sha256-sync'
import { MAX_FRAME_TABLE_SIZE } from '../constants.ts'
import { encodeFileBlock } from '../dag/file-block.ts'
import { FrameTable } from '../frames/frame-table.ts'
import { isCompressedType } from '../policy/detector.ts'
import { LAYOUT_HEAD_SIZE } from '../policy/layout.ts'
import { decideEarly, isGain } from '../policy/policy.ts'
import { DAG_PB, encodeBlock, RAW } from '../small/encoded-file.ts'
import { isWhole, takeFrame } from '../write/take-frame.ts'
import type { Metadata } from '../dag/file-block.ts'
import type { Compression } from '../policy/compression.ts'
import type { EncodedWithFrame } from '../small/encode-file.ts'
import type { TreeDictionary } from './tree-dictionary.ts'

const NOTHING = new Uint8Array(0)

/**
 * Encode a file of one frame with a dictionary, without the steps that files of several frames go through: for 3,500
 * small files, these took as long as all compressing.
 *
 * @returns undefined if it takes those steps, or is not compressed
 */
export async function encodeWithDictionary (
  bytes: Uint8Array,
  metadata: Metadata,
  base: TreeDictionary,
  { named, detect, comparing, layoutOf, basedLayoutOf }: Compression
): Promise<EncodedWithFrame | undefined> {
  const { byteLength: size } = bytes
  const { frameSize, leafSize } = basedLayoutOf(layoutOf(bytes.subarray(0, LAYOUT_HEAD_SIZE)))
  const { dictionary, region, maxLevel = Infinity } = base.aid(bytes, { start: 0, frameSize, comparing })

  // one that is all of its dictionary is not compressed as the others
  if (!detect || named == null || dictionary == null || size === base.size || decideEarly(bytes, detect) != null ||
    sha256Sync(NOTHING) == null || await isCompressedType(bytes)) {
    return undefined
  }

  const { codec, basedLevels: [level] } = named
  const { code, name } = codec
  const compressed = await codec.compress(bytes, { level: Math.min(level, maxLevel), dictionary })
  const frame = { size, bytes: compressed, region }
  const beginning = { bytes, first: { bytes }, frame }

  if (!isWhole(beginning, frameSize, leafSize) || !isGain(size, compressed.byteLength)) {
    return undefined
  }

  const table = new FrameTable({ frameSize, listsSizes: false, maxListed: MAX_FRAME_TABLE_SIZE })
  const { leaf: content } = takeFrame(beginning, table, name, base)
  const leaf = content && encodeBlock(RAW, content)
  const leafLink = leaf && { cid: { bytes: leaf.cid }, size: leaf.bytes.byteLength, dagSize: leaf.bytes.byteLength }
  const links = leafLink == null ? [] : [leafLink, base.link]
  const root = encodeBlock(DAG_PB, encodeFileBlock({ links, header: { codec: code, ...table.header } }, metadata))

  return leaf && root && {
    cid: root.cid,
    marker: code,
    blocks: [leaf, root],
    size,
    dagSize: links.reduce((sum, { dagSize }) => sum + dagSize, root.bytes.byteLength),
    onlyIpfsz: true,
    codec: name,
    reason: 'trial',
    hasDictionary: true,
    frame: compressed
  }
}
