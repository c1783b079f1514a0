import { randomUUID } from 'node:crypto'
import { open, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { openFilesToRead, parseCid } from '../context.ts'
import { UsageError } from '../errors.ts'
import { printable } from '../output.ts'
import { Progress } from '../progress.ts'
import { formatSize } from '../units.ts'
import type { Context } from '../context.ts'

export interface GetCommandOptions {
  /** Where to write the file, by default its CID in the working directory. */
  output?: string
}

/** Write a file to disk: whole under its name, or not at all. */
export async function get (text: string, options: GetCommandOptions, context: Context): Promise<void> {
  const { output, signal } = context
  const cid = parseCid(text)
  const files = await openFilesToRead(context)
  const { size } = await files.stat(cid, { signal })
  const target = await resolveTarget(options.output ?? cid.toString())

  await writeWhole(target, files.cat(cid, { signal }), Number(size))
  output.result({ cid: cid.toString(), path: target, size }, `${printable(target)}\t${formatSize(size)}`)
}

async function writeWhole (target: string, content: AsyncIterable<Uint8Array>, size: number): Promise<void> {
  const temporary = join(dirname(target), `.${basename(target).slice(0, 100)}.${randomUUID()}.tmp`)
  const progress = new Progress(printable(basename(target)), size)
  let done = 0

  try {
    const file = await open(temporary, 'wx').catch((err: unknown) => {
      // the temporary name says nothing to whoever asked for the other
      throw Object.assign(err as Error, { path: dirname(target) })
    })

    try {
      for await (const bytes of content) {
        await file.writeFile(bytes)
        done += bytes.byteLength
        progress.update(done)
      }
    } finally {
      await file.close()
    }

    await rename(temporary, target)
  } catch (err) {
    await rm(temporary, { force: true })
    throw err
  } finally {
    progress.end()
  }
}

/** The file to write: where a link leads, and nothing that is there and no file. */
async function resolveTarget (path: string): Promise<string> {
  const target = await realpath(path).catch(() => resolve(path))
  const stats = await stat(target).catch(() => undefined)

  if (stats?.isDirectory() === true) {
    throw Object.assign(new Error(`${target} is a directory`), { code: 'EISDIR', syscall: 'open', path: target })
  }

  if (stats != null && !stats.isFile()) {
    throw new UsageError(`${target} is not a file: write there with ipfsz cat`)
  }

  return target
}
