import { readInput, statIfThere, statInput } from './read-input.ts'
import { isTorn, losesExecutableBit, metadata, readSize } from './file-content.ts'
import { treeSource } from './tree-source.ts'
import type { Candidate, TreeSourceOptions } from './tree-source.ts'
import type { BigIntStats } from 'node:fs'

/** A file or directory, and its name in the directory that wraps it. */
export interface WrappedPath {
  path: string
  name: string
}

/**
 * Yield a new directory with these files and directories in it, for the importer. Symlinks among the paths are
 * followed, as they are without a wrapper.
 *
 * @param root - the new directory's name in the paths of the result
 */
export async function * wrappedSource (
  paths: readonly WrappedPath[],
  root: string,
  options: TreeSourceOptions
): AsyncGenerator<Candidate> {
  yield { path: root }

  for (const { path, name } of paths) {
    const stats = await statInput(path)
    const target = `${root}/${name}`

    if (stats.isDirectory()) {
      yield * treeSource(path, target, below(name, options))
      continue
    }

    if (losesExecutableBit(stats, options.preserve)) {
      options.onExecutable(name)
    }

    yield { path: target, ...metadata(stats, options.preserve), content: content(path, stats, name, options) }
  }
}

async function * content (
  path: string,
  stats: BigIntStats,
  name: string,
  { onRead, onChanged, signal }: Pick<TreeSourceOptions, 'onRead' | 'onChanged' | 'signal'>
): AsyncGenerator<Uint8Array> {
  for await (const bytes of readInput(path, stats, { readSize: readSize(stats), signal })) {
    onRead(name, bytes.byteLength)
    yield bytes
  }

  const after = await statIfThere(path)

  if (after != null && isTorn(stats, after)) {
    onChanged(name)
  }
}

/** Options whose events have paths that begin with this name. */
function below (name: string, options: TreeSourceOptions): TreeSourceOptions {
  return {
    ...options,
    onRead (path, bytes) { options.onRead(`${name}/${path}`, bytes) },
    onHidden (path) { options.onHidden(`${name}/${path}`) },
    onExecutable (path) { options.onExecutable(`${name}/${path}`) },
    onChanged (path) { options.onChanged(`${name}/${path}`) }
  }
}
