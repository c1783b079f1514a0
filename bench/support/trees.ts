import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sum } from '../benchmark.ts'
import { trees } from './corpus.ts'
import type { BenchmarkOptions } from '../benchmark.ts'
import type { Corpus } from './corpus.ts'

/** An unpacked npm package of hundreds of small files, which is installed in the workspace. */
const PACKAGE = { name: 'zrender (npm)', directory: join(import.meta.dirname, '../../node_modules/zrender') }

export interface Tree {
  name: string
  directory: string
  /** Paths of the files, relative to the directory. */
  paths: string[]
  size: number
}

/** The trees of the corpus and the package. In a smoke run, the package only if there is no other. */
export function listTrees (corpus: Corpus, { smoke }: BenchmarkOptions): Tree[] {
  const found = trees(corpus)

  return [...found, ...smoke && found.length > 0 ? [] : [PACKAGE]].map(listTree)
}

/**
 * The files of a directory, without duplicates: FsBlockstore waits a second if one block is put
 * twice at once, which would dominate the result.
 */
function listTree ({ name, directory }: { name: string, directory: string }): Tree {
  const files = globSync('**/*', { cwd: directory }).filter(path => statSync(join(directory, path)).isFile()).toSorted()
  const paths = [...new Map(files.map(path => [readFileSync(join(directory, path), 'base64'), path])).values()]

  return { name, directory, paths, size: sum(paths.map(path => statSync(join(directory, path)).size)) }
}
