import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { openFiles } from '../context.ts'
import { exitCode, explain, FAILED, IncompleteError, UsageError } from '../errors.ts'
import { printable } from '../output.ts'
import { Progress } from '../progress.ts'
import { formatSize } from '../units.ts'
import type { Context } from '../context.ts'
import type { CompressionOptions, Ipfsz } from '@ipfsz/core'

/** Read files in pieces of 4 MiB, those of a frame, so that they need not be put together. */
const READ_SIZE = 4 * 1024 * 1024

export interface AddCommandOptions {
  compression: CompressionOptions
  /** Compress with what is the same build in browsers. */
  deterministic: boolean
  /** Print the CID and nothing else. */
  quieter: boolean
}

/** The path that stands for stdin. */
const STDIN = '-'

interface Source {
  name: string
  content: AsyncIterable<Uint8Array>
  size?: number
}

/** Add files, or stdin for `-`, each under a CID of its own. */
export async function add (paths: string[], options: AddCommandOptions, context: Context): Promise<void> {
  if (paths.filter(path => path === STDIN).length > 1) {
    throw new UsageError('- is given more than once: stdin can be read only once')
  }

  const files = await openFiles(context, { deterministic: options.deterministic })
  let failed = 0

  for (const path of paths) {
    try {
      await addOne(path, files, options, context)
    } catch (err) {
      // what is wrong with the options is wrong for every file
      if (!(err instanceof Error) || exitCode(err) !== FAILED || paths.length === 1) {
        throw err
      }

      context.output.error(explain(err), err)
      failed++
    }
  }

  if (failed > 0) {
    throw new IncompleteError(`${failed} of ${paths.length} files were not added`)
  }
}

async function addOne (path: string, files: Ipfsz, { compression, quieter }: AddCommandOptions, { output, signal }: Context): Promise<void> {
  const { name, content, size: total } = await open(path)
  const progress = new Progress(printable(name), total)

  const cid = await files.addByteStream(content, {
    compression,
    signal,
    onProgress (event) {
      if (event.type === 'unixfs:importer:progress:file:read') {
        progress.update(Number(event.detail.bytesRead))
      }
    }
  }).finally(() => progress.end())

  const { size, storedSize, ratio, codec, plainCid } = await files.stat(cid)

  output.result(
    { cid: cid.toString(), plainCid: plainCid.toString(), name, size, storedSize, ratio, codec },
    quieter ? cid.toString() : [cid, printable(name), formatSize(size), formatSize(storedSize), ratio.toFixed(3)].join('\t')
  )
}

async function open (path: string): Promise<Source> {
  if (path === STDIN) {
    return { name: STDIN, content: process.stdin }
  }

  const stats = await stat(path)

  if (stats.isDirectory()) {
    throw Object.assign(new Error(`${path} is a directory`), { code: 'EISDIR', syscall: 'read', path })
  }

  return {
    name: basename(path),
    content: createReadStream(path, { highWaterMark: READ_SIZE }),
    // a pipe or a device tells no size
    ...stats.isFile() ? { size: stats.size } : {}
  }
}
