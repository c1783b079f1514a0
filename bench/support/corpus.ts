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

/** The size of a piece, in bytes, if pieces of a file stand for all of it. */
const SAMPLE = 256 * 1024

/** Groups of files that do not compress, and groups of many small files. */
const INCOMPRESSIBLE = new Set(['incompressible'])
const SMALL = new Set(['rfc', 'jquery', 'tree'])

/** Files that describe the corpus. */
const ABOUT = /^(MANIFEST|README)/

export interface CorpusFile {
  /** The directory of the corpus that holds it. */
  group: string
  name: string
  path: string
  size: number
}

export interface Corpus {
  /** Where the files come from, or the file given by --file. */
  source: string
  files: CorpusFile[]
  /** A directory for temporary files. */
  directory: string
}

/** Use the corpus, then remove all temporary files. A smoke run generates its corpus, unless one is given. */
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

/** Single files: neither those of a tree, nor those that describe the corpus. */
export function singleFiles ({ files }: Corpus): CorpusFile[] {
  return files.filter(({ group }) => group !== '' && !SMALL.has(group))
}

/** Single files that compress, at least one. */
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

/** All files that compress, concatenated into one file; or the file given by --file. */
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

/** The bytes of a file, repeated up to a size. A line before each repetition makes its blocks unique. */
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
 * Write a file of a given size to the temporary directory, from the bytes of another: all
 * of it repeated, or pieces from all over it if the new file is smaller.
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
  // a symlink to a file counts as a file; broken ones and those to directories are skipped
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

  // the order of readdir depends on the disk
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
