import { randomUUID } from 'node:crypto'
import { open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { openFiles, parseCid } from '../context.ts'
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
  const files = await openFiles(context)
  const { size } = await files.stat(cid, { signal })
  const target = resolve(options.output ?? cid.toString())

  await refuseDirectory(target)
  await writeWhole(target, files.cat(cid, { signal }), Number(size))
  output.result({ cid: cid.toString(), path: target, size }, `${target}\t${formatSize(size)}`)
}

async function writeWhole (target: string, content: AsyncIterable<Uint8Array>, size: number): Promise<void> {
  const temporary = join(dirname(target), `.${basename(target).slice(0, 100)}.${randomUUID()}.tmp`)
  const progress = new Progress(basename(target), size)
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

async function refuseDirectory (target: string): Promise<void> {
  const stats = await stat(target).catch(() => undefined)

  if (stats?.isDirectory() === true) {
    throw Object.assign(new Error(`${target} is a directory`), { code: 'EISDIR', syscall: 'open', path: target })
  }
}
