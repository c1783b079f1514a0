import { buffer } from 'node:stream/consumers'
import { stat } from 'node:fs/promises'
import { openRegularFile } from '@ipfsz/utils/open-regular-file'
import { UsageError } from '../errors.ts'
import { spread } from './spread.ts'
import type { Stretch } from './spread.ts'

/** Maximum bytes of a sample, 16 MiB, or two frames if they are larger. */
const SAMPLE_SIZE = 16 * 1024 * 1024

/** Frames taken from some files. */
export interface Sample {
  readonly size: number
  readonly frames: readonly Uint8Array[]
}

/**
 * Reads frames spread evenly over some files, or all of their frames if they are small.
 *
 * @throws {UsageError} all files are empty, or one is not a regular file
 */
export async function readSample (paths: readonly string[], frameSize: number, signal: AbortSignal): Promise<Sample> {
  const sizes: number[] = []

  for (const path of paths) {
    sizes.push(await sizeOf(path))
    signal.throwIfAborted()
  }

  const frames: Uint8Array[] = []

  for (const stretch of spread(sizes, frameSize, Math.max(SAMPLE_SIZE, 2 * frameSize))) {
    frames.push(await read(paths[stretch.file], stretch))
    signal.throwIfAborted()
  }

  // a file may have been truncated since
  const filled = frames.filter(frame => frame.byteLength > 0)

  if (filled.length === 0) {
    const files = paths.length === 1 ? 'the file is' : 'all files are'

    throw new UsageError(`${paths.join(', ')}: nothing to measure, ${files} empty`)
  }

  return { size: sizes.reduce((sum, size) => sum + size, 0), frames: filled }
}

async function sizeOf (path: string): Promise<number> {
  if (path === '-') {
    throw new UsageError('bench cannot read stdin, because it takes samples of whole files: pass a file instead')
  }

  const stats = await stat(path)

  if (stats.isDirectory()) {
    throw Object.assign(new Error(`${path} is a directory`), { code: 'EISDIR', syscall: 'read', path })
  }

  if (!stats.isFile()) {
    throw new UsageError(`${path} is a pipe or a device, but bench takes samples of whole files: ` +
      'pass a regular file instead')
  }

  return stats.size
}

async function read (path: string, { offset, length }: Stretch): Promise<Uint8Array> {
  const file = await openRegularFile(path)

  return buffer(file.createReadStream({ start: offset, end: offset + length - 1 }))
}
