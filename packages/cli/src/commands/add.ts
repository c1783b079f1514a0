import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { addTree } from '../disk/add-tree.ts'
import { resolvePath, withRepo } from '../context.ts'
import { exitCode, explain, FAILED, IncompleteError, UsageError } from '../errors.ts'
import { ignoring } from '../disk/ignore.ts'
import { UntoldRoots } from '../make-safe.ts'
import { printable } from '../terminal/output.ts'
import { metadata, READ_SIZE } from '../disk/tree-source.ts'
import { formatSize } from '../terminal/units.ts'
import type { Added } from '../disk/add-tree.ts'
import type { Context, Session } from '../context.ts'
import type { KuboSession } from '../kubo/kubo.ts'
import type { Untold } from '../make-safe.ts'
import type { Preserve } from '../disk/tree-source.ts'
import type { CompressionOptions } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

export interface AddCommandOptions {
  compression: CompressionOptions
  /** Compress with what is the same build in browsers. */
  deterministic: boolean
  /** Print the CID and nothing else. */
  quieter: boolean
  /** Find the CIDs that files have uncompressed, and link them. */
  link: boolean
  /** Keep what was added when garbage is collected. */
  pin: boolean
  /** Print a CID when what it names survives a loss of power. */
  sync: boolean
  /** Take also what begins with a dot in directories. */
  hidden: boolean
  /** Patterns of what in directories is left out. */
  ignore: string[]
  /** By default those of directories and what is in them, and of files alone none. */
  preserve: Partial<Preserve>
  /** The RPC API of a running Kubo that is added to, instead of the repo. */
  kubo?: string
}

/** What is added to: the repo, or a Kubo. */
type Target = Pick<Session, 'files'> & KuboSession & Partial<Pick<Session, 'repo'>>

/** The path that stands for stdin. */
const STDIN = '-'
/** The files of a directory are synced together, so many at one time, and printed then. */
const MAX_UNPRINTED = 4096
/** Whatever is larger, and what is no file, may take long: those before it are printed first. In bytes, 1 MiB. */
const MAX_TOGETHER = 1024 * 1024

interface Source {
  content: AsyncIterable<Uint8Array>
  size?: number
  metadata?: ReturnType<typeof metadata>
}

/** Add files and directories, or stdin for `-`, each under a CID of its own. */
export async function add (paths: string[], options: AddCommandOptions, context: Context): Promise<void> {
  if (paths.filter(path => path === STDIN).length > 1) {
    throw new UsageError('- is given more than once: stdin can be read only once')
  }

  const failed = await addTo(options, context, async target => addEach(paths, options, target, context))

  if (failed > 0) {
    throw new IncompleteError(`${failed} of ${paths.length} files were not added`)
  }
}

async function addTo (options: AddCommandOptions, context: Context, work: (target: Target) => Promise<number>): Promise<number> {
  const { kubo, link: links, deterministic, sync } = options

  if (kubo == null) {
    return withRepo(context, { lock: 'add', links, deterministic, sync }, work)
  }

  if (links) {
    throw new UsageError('--link does not go with --kubo: links are kept in the repo')
  }

  const { openKubo } = await import('../kubo/kubo.ts')

  return work(await openKubo(kubo, { deterministic }, context.signal))
}

/** What is told is safe: on the disk and pinned, where that is wanted. Small files that come one after the other are synced together. */
async function addEach (paths: string[], options: AddCommandOptions, session: Target, context: Context): Promise<number> {
  let failed = 0

  const fail = (err: unknown): void => {
    // what is wrong with the options is wrong for every file
    if (!(err instanceof Error) || exitCode(err) !== FAILED || paths.length === 1) {
      throw err
    }

    context.output.error(explain(err), err)
    failed++
  }

  const untold = new UntoldRoots({ pin: options.pin, session, context, fail })

  for (const path of paths) {
    try {
      const stats = path === STDIN ? undefined : await stat(resolvePath(path, context.io))

      if (stats?.isFile() !== true || stats.size > MAX_TOGETHER) {
        // it may take long, and nothing waits for it
        await untold.print()
      }

      untold.push(await (stats?.isDirectory() === true ? addDirectory : addOne)(path, options, session, context))
    } catch (err) {
      await untold.print()
      fail(err)
    }

    await untold.printInTime()
  }

  await untold.print()

  return failed
}

async function addDirectory (path: string, options: AddCommandOptions, session: Target, context: Context): Promise<Untold> {
  const { io, output, signal } = context
  const { compression, link, quieter, hidden, ignore, preserve: { mode = true, mtime = true } } = options
  // of `.` and `..` the name that they have where they are
  const name = basename(resolve(io.cwd, path)) || '/'

  const unprinted: Added[] = []

  const added = await addTree(resolvePath(path, io), session.files, {
    hidden,
    ignore: ignoring(ignore),
    preserve: { mode, mtime },
    progress: output.progress(name),
    signal,
    add: { compression, link },
    async onAdded (added) {
      if (quieter) {
        return
      }

      unprinted.push(added)

      if (unprinted.length === MAX_UNPRINTED) {
        await session.repo?.disk.sync()
        printFiles()
      }
    }
  })

  return {
    cid: added.root.cid,
    name,
    print () {
      printFiles()

      if (added.hidden > 0) {
        output.note(`${printable(name)}: ${added.hidden} hidden ${added.hidden === 1 ? 'entry was' : 'entries were'} left out, add them with --hidden`)
      }

      print({ ...added.root, name })
    }
  }

  function printFiles (): void {
    for (const added of unprinted.splice(0)) {
      print({ ...added, name: `${name}/${added.path}` })
    }
  }

  function print ({ cid, plainCid, name, size, storedSize, ratio, codec, type }: Added & { name: string }): void {
    output.result(
      { cid: cid.toString(), plainCid: plainCid.toString(), name, size, storedSize, ratio, codec, type },
      quieter ? cid.toString() : line(cid, name, size, storedSize, ratio)
    )
  }
}

async function addOne (path: string, options: AddCommandOptions, session: Target, context: Context): Promise<Untold> {
  const { io, output, signal } = context
  const { compression, link, quieter } = options
  const name = path === STDIN ? STDIN : basename(path)
  const { content, size: total, metadata }: Source = path === STDIN ? { content: io.stdin } : await open(resolvePath(path, io), options)
  const progress = output.progress(name, total)

  const cid = await session.files.addByteStream(content, {
    ...metadata,
    compression,
    link,
    signal,
    onProgress (event) {
      if (event.type === 'unixfs:importer:progress:file:read') {
        progress.update(Number(event.detail.bytesRead))
      }
    }
  }).finally(() => progress.end())

  const { size, storedSize, ratio, codec, plainCid } = await session.files.stat(cid)

  return {
    cid,
    ...path === STDIN ? {} : { name },
    print () {
      output.result(
        { cid: cid.toString(), plainCid: plainCid.toString(), name, size, storedSize, ratio, codec },
        quieter ? cid.toString() : line(cid, name, size, storedSize, ratio)
      )
    }
  }
}

function line (cid: CID, name: string, size: number | bigint, storedSize: bigint, ratio: number): string {
  return [cid, printable(name), formatSize(size), formatSize(storedSize), ratio.toFixed(3)].join('\t')
}

async function open (path: string, { preserve: { mode = false, mtime = false } }: AddCommandOptions): Promise<Source> {
  const stats = await stat(path, { bigint: true })

  return {
    content: createReadStream(path, { highWaterMark: READ_SIZE }),
    metadata: metadata(stats, { mode, mtime }),
    // a pipe or a device tells no size
    ...stats.isFile() ? { size: Number(stats.size) } : {}
  }
}
