import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { constants, zstdCompress } from 'node:zlib'
import { MemoryBlockstore } from 'blockstore-core'
import { rounded } from './benchmark.ts'
import { CountingBlockstore } from './support/blocks.ts'
import { mixedFile, singleFiles, withCorpus } from './support/corpus.ts'
import { DEFAULT, FILE_SYSTEMS } from './support/file-systems.ts'
import { TABLE_4 } from './support/paper.ts'
import type { Benchmark, Row } from './benchmark.ts'
import type { CorpusFile } from './support/corpus.ts'

/** The level of the single stream of a whole file: our default level. */
const LEVEL = 3
const ZSTD_TOOL = 'zstd -3, whole file'

interface Stored {
  /** Bytes of all blocks for each side, and of the whole file compressed by `zstd -3`. */
  bytes: Map<string, number>
  cid: string
}

export const benchmark: Benchmark = {
  question: 'how many bytes are stored, by file and codec, and what frames cost against one stream of the whole file',
  inputs: ['corpus', 'file'],

  async run (options) {
    return withCorpus(options, async corpus => {
      const mixed = await mixedFile(corpus, options)
      const files: CorpusFile[] = [...options.file == null ? singleFiles(corpus) : [], { group: '', ...mixed }]
      const rows: Row[] = []
      const table4: Row[] = []
      const cids: Row[] = []

      for (const file of files) {
        const { bytes, cid } = await store(file)
        const ratio = (name: string): number => Number(((bytes.get(name) ?? 0) / file.size).toFixed(4))
        const name = file.group === '' ? file.name : `${file.group}/${file.name}`

        rows.push({
          file: name,
          bytes: file.size,
          ...Object.fromEntries([...bytes.keys()].map(name => [name, ratio(name)])),
          // files that are stored plain have no frames
          'frames cost, %': ratio(DEFAULT) < 1
            ? rounded(((bytes.get(DEFAULT) ?? 0) / (bytes.get(ZSTD_TOOL) ?? 1) - 1) * 100)
            : '-'
        })
        cids.push({ file: name, 'bytes stored by default': bytes.get(DEFAULT) ?? 0, CID: cid })
        table4.push(...TABLE_4.filter(({ ours }) => ours === name).map(({ dataset, likeness, ratios }) => ({
          'data set of the paper': dataset,
          'file here': name,
          likeness,
          ...Object.fromEntries(
            Object.entries(ratios).flatMap(
              ([codec, theirs]) => [[`${codec}, paper`, theirs], [`${codec}, here`, rounded(ratio(OURS[codec]))]]
            )
          )
        })))
      }

      return [
        { title: 'Stored bytes / original bytes, of all blocks', rows },
        ...table4.length === 0 ? [] : [{ title: 'The paper\'s Table 4 and ours', rows: table4 }],
        { title: `What was added (${corpus.source})`, rows: cids }
      ]
    })
  }
}

/** What each codec of the paper is compared with. */
const OURS: Readonly<Record<string, string>> = {
  gzip: 'ipfsz, gzip 6',
  lz4: 'ipfsz, lz4',
  lzo: 'ipfsz, lzo',
  snappy: 'ipfsz, snappy',
  zstd: DEFAULT
}

async function store (file: CorpusFile): Promise<Stored> {
  const bytes = new Map<string, number>()
  let cid = ''

  for (const [name, create] of Object.entries(FILE_SYSTEMS)) {
    const blockstore = new CountingBlockstore(new MemoryBlockstore())
    const added = await create(blockstore).addByteStream(createReadStream(file.path))
    bytes.set(name, blockstore.bytes)
    cid = name === DEFAULT ? added.toString() : cid
  }

  bytes.set(
    ZSTD_TOOL,
    (await promisify(zstdCompress)(
      await readFile(file.path),
      { params: { [constants.ZSTD_c_compressionLevel]: LEVEL } }
    )).byteLength
  )

  return { bytes, cid }
}
