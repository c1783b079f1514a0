import { opendir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { ipfsz } from '@ipfsz/core/with-codecs'
import { UsageError } from '../errors.ts'
import type { Codec } from '@ipfsz/codecs'
import type { CompressionOptions, FileCandidate } from '@ipfsz/core'

/** Maximum bytes of files that are added to learn what pays, 8 MiB: all adds together take about two seconds. */
const SAMPLE_SIZE = 8 * 1024 * 1024

/** Options of `add`, each compared with an add without any of them. */
const OPTIONS = {
  dictionaries: { dictionaries: 'auto' },
  cut: { cut: 'content' },
  filters: { filters: true }
} as const satisfies Record<string, CompressionOptions>

/** What options of `add` save on a sample of files. */
export interface Savings {
  /** Original bytes of the sample. */
  readonly sampled: number
  /** For each option, the part of the stored bytes that it saves. Negative if it costs bytes. */
  readonly saves: Readonly<Record<keyof typeof OPTIONS, number>>
}

/** The paths of files, and of all files below directories. */
export async function listFiles (paths: readonly string[], signal: AbortSignal): Promise<string[]> {
  const files: string[] = []

  for (const path of paths) {
    if (path === '-' || !(await stat(path)).isDirectory()) {
      files.push(path)
      continue
    }

    const found: string[] = []

    for await (const entry of await opendir(path, { recursive: true })) {
      signal.throwIfAborted()

      if (entry.isFile()) {
        found.push(join(entry.parentPath, entry.name))
      }
    }

    if (found.length === 0) {
      throw new UsageError(`${path}: nothing to measure, the directory has no files`)
    }

    files.push(...found.toSorted())
  }

  return files
}

/** Add a sample of the files to memory with each option, and without. */
export async function measureSavings (
  files: readonly string[],
  codecs: readonly Codec[],
  signal: AbortSignal
): Promise<Savings> {
  const sample = await readFiles(files, signal)
  const sampled = sample.reduce((sum, { content }) => sum + content.byteLength, 0)
  const alone = await storedBytes(sample, { filters: false }, codecs, signal)
  const saves: Record<string, number> = {}

  for (const [name, option] of Object.entries(OPTIONS)) {
    const stored = await storedBytes(sample, { filters: false, ...option }, codecs, signal)
    saves[name] = (alone - stored) / alone
  }

  return { sampled, saves: saves as Savings['saves'] }
}

/** Whole files spread evenly over all of them, without those that are larger than the sample. */
async function readFiles (
  files: readonly string[],
  signal: AbortSignal
): Promise<Array<FileCandidate & { content: Uint8Array }>> {
  const sizes: number[] = []

  for (const file of files) {
    signal.throwIfAborted()
    sizes.push((await stat(file)).size)
  }

  const fitting = files.filter((_, i) => sizes[i] <= SAMPLE_SIZE)
  const total = sizes.filter(size => size <= SAMPLE_SIZE).reduce((sum, size) => sum + size, 0)
  const step = Math.max(1, total / SAMPLE_SIZE)
  const sample = []
  let left = SAMPLE_SIZE

  for (let i = 0; i < fitting.length && left > 0; i += step) {
    signal.throwIfAborted()
    const content = new Uint8Array(await readFile(fitting[Math.floor(i)]))
    left -= content.byteLength
    sample.push({ path: fitting[Math.floor(i)].replace(/^[./\\]+/u, ''), content })
  }

  return sample
}

/** The bytes of all blocks that an add stores, each once. */
async function storedBytes (
  files: FileCandidate[],
  compression: CompressionOptions,
  codecs: readonly Codec[],
  signal: AbortSignal
): Promise<number> {
  const blocks = new Map<string, Uint8Array>()
  const blockstore: Parameters<typeof ipfsz>[0]['blockstore'] = {
    async put (cid, block) {
      blocks.set(cid.toString(), block instanceof Uint8Array ? block : await buffer(Readable.from(block)))

      return cid
    },
    has: cid => blocks.has(cid.toString()),

    async * get (cid) {
      yield blocks.get(cid.toString()) as Uint8Array
    }
  }

  for await (const _ of ipfsz({ blockstore }, { codecs: [...codecs] }).addAll(files, {
    wrapWithDirectory: true,
    compression,
    signal
  })) {
    // counted below
  }

  return [...blocks.values()].reduce((sum, { byteLength }) => sum + byteLength, 0)
}
