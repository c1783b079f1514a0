import { chmod, mkdir, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { addSources } from '../src/add/index.ts'
import type { AddedEntry, AddedRoot, AddSourcesOptions } from '../src/add/index.ts'
import type { NodeEvents } from '../src/events.ts'

/** A date that is long over: what was changed a moment ago is read again. */
export const OLD = new Date('2020-02-02T02:02:02.123Z')

export interface AddedPaths {
  roots: AddedRoot[]
  entries: AddedEntry[]
  events: NodeEvents[]
}

/** Add paths to a repo. */
export async function addPaths (
  repo: string,
  paths: string[],
  options: AddSourcesOptions = {},
  signal = new AbortController().signal
): Promise<AddedPaths> {
  const added: AddedPaths = { roots: [], entries: [], events: [] }
  await addSources(
    { repo, bootstrap: [], signal, onProgress: event => { added.events.push(event) } },
    paths.map(path => ({ path })),
    {
      ...options,
      onEntry: entry => { added.entries.push(entry) },
      onRoot: root => { added.roots.push(root) }
    }
  )

  return added
}

/**
 * A tree that has some of everything, with so many files that threads are started for them. Unless `large` is false,
 * some of its files are large.
 */
export async function makeTree (directory: string, { files = 270, seed = 1, large = true } = {}): Promise<void> {
  const random = mulberry32(seed)
  await mkdir(join(directory, 'deep/er/est'), { recursive: true })
  await mkdir(join(directory, 'empty'))
  await mkdir(join(directory, 'many'))

  for (let i = 0; i < files; i++) {
    const path = join(directory, ['', 'deep', 'deep/er', 'deep/er/est', 'many'][i % 5], `file ${i}`)
    await writeFile(path, contentOf(i, random))
    await utimes(path, OLD, OLD)
  }

  if (large) {
    await writeLargeFiles(directory, random)
  }

  await writeFile(join(directory, 'many', 'run me'), '#!/bin/sh\n')
  await chmod(join(directory, 'many', 'run me'), 0o755)
  await writeFile(join(directory, '.hidden'), 'hidden')
  await symlink('../file 0', join(directory, 'deep/link'))
  await symlink('nowhere', join(directory, 'many/broken'))
}

async function writeLargeFiles (directory: string, random: () => number): Promise<void> {
  await writeFile(join(directory, 'many.large'), Buffer.alloc(600_000, 'a large file that shrinks '))
  await writeFile(join(directory, 'many.larger'), largeText(4_500_000, random))
  await writeFile(join(directory, 'many.larger again'), largeText(4_500_000, mulberry32(7)))
  await writeFile(join(directory, 'many.numbers'), Buffer.from(Int16Array.from({ length: 700_000 }, (_, at) =>
    8000 * Math.sin(at / 30) + random() * 20).buffer))
  await writeFile(join(directory, 'many.plain'), bytes(1_200_000, random))
  await writeFile(join(directory, 'many.random'), bytes(700_000, random))
}

/** Empty, text, numbers, random bytes, a compressed type, equal ones, of one block and of two. */
function contentOf (i: number, random: () => number): Buffer {
  const kind = i % 9

  if (kind === 0) {
    return Buffer.alloc(i % 2 === 0 ? 0 : 1)
  }

  if (kind === 1) {
    return bytes(Math.floor(random() * 20_000), random)
  }

  if (kind === 2) {
    return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), bytes(2000, random)])
  }

  if (kind === 3) {
    // 16-bit samples, which a filter may help
    return Buffer.from(Int16Array.from({ length: 12_000 }, (_, at) => 8000 * Math.sin(at / 30) + random() * 20).buffer)
  }

  if (kind === 4) {
    return Buffer.from('the same in many files '.repeat(50))
  }

  if (kind === 5) {
    return Buffer.from(Array.from({ length: 14_000 }, () => Math.floor(random() * 1e9).toString(36)).join(' '))
  }

  return Buffer.from(`${'a line of text, number '.repeat(Math.floor(random() * 300))}${i}\n`)
}

/** Text whose frames take several blocks. */
function largeText (size: number, random: () => number): string {
  let text = ''

  while (text.length < size) {
    text += Math.floor(random() * 1e15).toString(36)
  }

  return text.slice(0, size)
}

function bytes (size: number, random: () => number): Buffer {
  return Buffer.from(Uint8Array.from({ length: size }, () => random() * 256))
}

/** Numbers from 0 to 1, always the same for a seed. */
function mulberry32 (seed: number): () => number {
  let state = seed

  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t

    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}
