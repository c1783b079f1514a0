import { createReadStream, createWriteStream, statSync } from 'node:fs'
import { mkdir, open, readdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { generateTree, GENERATORS } from './generate.ts'
import { NoInputError } from '../benchmark.ts'
import { withDirectory } from './temporary.ts'
import type { BenchmarkOptions } from '../benchmark.ts'

/** The test files that developers and CI have beside the project. */
const DEFAULT_CORPUS = resolve(import.meta.dirname, '../../../shared/data')
/** What the results call them: a path out of the repository would tell its readers nothing. */
const DEFAULT_SOURCE = 'the test files, not in this repository'

const MB = 1e6

/** Bytes of a file that stay together where a part of it stands for all of it. */
const SAMPLE = 256 * 1024

/** Groups that do not compress, and those that are many small files. */
const INCOMPRESSIBLE = new Set(['incompressible'])
const SMALL = new Set(['rfc', 'jquery', 'tree'])

/** What tells about a corpus. */
const ABOUT = /^(MANIFEST|README)/

export interface CorpusFile {
  /** The directory in the corpus that it is in. */
  group: string
  name: string
  path: string
  size: number
}

export interface Corpus {
  /** Where the files are from, for people, or the one that was named instead. */
  source: string
  files: CorpusFile[]
  /** A directory for what is made on the way. */
  directory: string
}

/** Use the corpus, then remove all temporary files. A smoke run makes its own corpus, unless one is named. */
export async function withCorpus<T> (
  { smoke, corpus, file }: BenchmarkOptions,
  use: (corpus: Corpus) => Promise<T>
): Promise<T> {
  const named = corpus ?? (smoke || !isDirectory(DEFAULT_CORPUS) ? undefined : DEFAULT_CORPUS)

  return withDirectory(async directory => {
    if (named != null) {
      const source = named === DEFAULT_CORPUS ? DEFAULT_SOURCE : relative(process.cwd(), named)

      return use({ source: file ?? source, files: await listFiles(named), directory })
    }

    const generated = join(directory, 'corpus')
    await generate(generated, smoke)

    return use({ source: file ?? 'made by bench/support/generate.ts', files: await listFiles(generated), directory })
  })
}

function isDirectory (path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** Files by themselves: neither those of a tree, nor what tells about the corpus. */
export function singleFiles ({ files }: Corpus): CorpusFile[] {
  return files.filter(({ group }) => group !== '' && !SMALL.has(group))
}

/** Files by themselves that shrink, at least one. */
export function compressibleFiles (corpus: Corpus): CorpusFile[] {
  const files = singleFiles(corpus).filter(({ group, size }) => !INCOMPRESSIBLE.has(group) && size > 0)

  if (files.length === 0) {
    throw new NoInputError(`There is no file in ${corpus.source} to measure with: name another directory, or a file`)
  }

  return files
}

export function incompressibleFiles (corpus: Corpus): CorpusFile[] {
  return corpus.files.filter(({ group }) => INCOMPRESSIBLE.has(group))
}

/** Directories of many small files. */
export function trees ({ files }: Corpus): Array<{ name: string, directory: string }> {
  const groups = new Map(files.filter(({ group }) => SMALL.has(group)).map(file => [file.group, file]))

  return Array.from(groups, ([name, { path, name: file }]) => ({ name, directory: path.slice(0, -file.length - 1) }))
}

/** All files that compress, one after the other in one file; or the file that was named instead. */
export async function mixedFile (
  corpus: Corpus,
  { file }: BenchmarkOptions
): Promise<{ path: string, size: number, name: string }> {
  if (file != null) {
    return { path: file, size: (await stat(file)).size, name: file }
  }

  const files = compressibleFiles(corpus)
  const path = join(corpus.directory, 'mixed')
  await pipeline(async function * () {
    for (const { path } of files) {
      yield * createReadStream(path)
    }
  }, createWriteStream(path))

  return {
    path,
    size: (await stat(path)).size,
    name: `${[...new Set(files.map(({ group }) => group))].join(' and ')} in one file`
  }
}

/** The bytes of a file again and again up to a size. A line before each time keeps blocks from being the same. */
export async function * repeatFile (path: string, size: number): AsyncGenerator<Uint8Array> {
  let left = size

  for (let time = 0; left > 0; time++) {
    const line = Buffer.from(`${time}\n`).subarray(0, left)
    left -= line.byteLength
    yield line

    if (left > 0) {
      for await (const chunk of createReadStream(path, { end: left - 1 })) {
        left -= (chunk as Buffer).byteLength
        yield chunk as Buffer
      }
    }
  }
}

/**
 * A file of a size, in the corpus's directory, of the bytes of another: all of it again
 * and again, or pieces from all over it where that is smaller.
 */
export async function fileOfSize (
  corpus: Corpus,
  { path, size: available }: { path: string, size: number },
  size: number
): Promise<string> {
  const file = join(corpus.directory, `${size}`)
  await pipeline(
    size < available ? samplePieces(path, available, size) : repeatFile(path, size),
    createWriteStream(file)
  )

  return file
}

async function * samplePieces (path: string, available: number, size: number): AsyncGenerator<Uint8Array> {
  const file = await open(path)
  const pieces = Math.ceil(size / SAMPLE)

  try {
    for (let i = 0; i < pieces; i++) {
      const length = Math.min(SAMPLE, size - i * SAMPLE)
      const { buffer } = await file.read(Buffer.alloc(length), 0, length, Math.floor((available - length) * i / pieces))
      yield buffer
    }
  } finally {
    await file.close()
  }
}

async function listFiles (directory: string): Promise<CorpusFile[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  // a link to a file is one, too; one to nothing or to a directory is left out
  const paths = entries.filter(entry => entry.isFile() || entry.isSymbolicLink())
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => statSync(path, { throwIfNoEntry: false })?.isFile() === true)
  const files = paths.map(async path => {
    const [group, ...names] = relative(directory, path).split(sep)
    const place = names.length > 0
      ? { group, name: names.join('/') }
      : { group: ABOUT.test(group) ? '' : 'files', name: group }

    return { ...place, path, size: (await stat(path)).size }
  })

  // readdir's order is that of the disk
  return (await Promise.all(files)).toSorted((a, b) => a.path < b.path ? -1 : 1)
}

async function generate (directory: string, smoke: boolean): Promise<void> {
  const size = smoke ? MB : 16 * MB

  await mkdir(join(directory, 'generated'), { recursive: true })
  await mkdir(join(directory, 'incompressible'))

  for (const [name, make] of Object.entries(GENERATORS)) {
    await writeFile(join(directory, name === 'random.bin' ? 'incompressible' : 'generated', name), make(size))
  }

  for (const [name, bytes] of generateTree(smoke ? 40 : 400)) {
    const path = join(directory, 'tree', name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, bytes)
  }
}
