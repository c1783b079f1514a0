import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { addTree } from '../disk/add-tree.ts'
import { resolvePath, withRepo } from '../context.ts'
import { exitCode, explain, FAILED, IncompleteError, UsageError } from '../errors.ts'
import { contentUrl, noteUrl } from '../gateway/content-url.ts'
import { findGateway } from '../gateway/gateway-file.ts'
import { ignoreMatcher } from '../disk/ignore.ts'
import { PendingRoots } from '../pending-roots.ts'
import { printable } from '../terminal/output.ts'
import { printAdded } from '../terminal/print-added.ts'
import { SpillStack } from '../disk/spill-stack.ts'
import { temporaryFor } from '../disk/temporary-files.ts'
import { metadata, readSize } from '../disk/tree-source.ts'
import type { Added } from '../disk/add-tree.ts'
import type { Context, Session } from '../context.ts'
import type { KuboSession } from '../kubo/kubo.ts'
import type { PendingRoot } from '../pending-roots.ts'
import type { PrintedAdd } from '../terminal/print-added.ts'
import type { Preserve } from '../disk/tree-source.ts'
import type { CompressionOptions } from '@ipfsz/core'

export interface AddCommandOptions {
  compression: CompressionOptions
  /** Use the codec builds that browsers use, so that the CID is the same there. */
  deterministic: boolean
  /** Print only the CID. */
  quieter: boolean
  /** Compute the CID of each uncompressed file, and link it to the compressed file. */
  link: boolean
  /** Pin each root, so that `ipfsz gc` keeps it. */
  pin: boolean
  /** Sync to disk before a CID is printed, so that what it names survives a power cut. */
  sync: boolean
  /** In directories, also add names that begin with a dot. */
  hidden: boolean
  /** Patterns of directory entries to skip. */
  ignore: string[]
  /** Metadata to keep. Default: all for directories and their entries, none for single files. */
  preserve: Partial<Preserve>
  /** The address of the RPC API of a running Kubo, to add to it instead of the repo. */
  kubo?: string
}

/** Where files are added: the repo, or a Kubo. */
type Store = Pick<Session, 'files'> & KuboSession & Partial<Pick<Session, 'repo'>> & {
  /** The URL of a gateway that serves the repo, if one runs. */
  gateway?: string | undefined
}

/** The path that stands for stdin. */
const STDIN = '-'
/** Pending roots are printed before a larger file, a directory or a stream, which may take long. In bytes. */
const MAX_BATCHED_SIZE = 1024 * 1024

interface Source {
  content: AsyncIterable<Uint8Array>
  size?: number
  metadata?: ReturnType<typeof metadata>
}

/** Add files and directories, or stdin for `-`. Each gets its own CID. */
export async function add (paths: string[], options: AddCommandOptions, context: Context): Promise<void> {
  if (paths.filter(path => path === STDIN).length > 1) {
    throw new UsageError('- is named more than once, but stdin can be read only once: name it once')
  }

  const failed = await withStore(options, context, async store => addEach(paths, options, store, context))

  if (failed > 0) {
    throw new IncompleteError(`${failed} of ${paths.length} paths were not added: see the errors above`)
  }
}

async function withStore (
  options: AddCommandOptions,
  context: Context,
  work: (store: Store) => Promise<number>
): Promise<number> {
  const { kubo, link: links, deterministic, sync } = options

  if (kubo == null) {
    return withRepo(context, { lock: 'add', links, deterministic, sync }, async session =>
      work({ ...session, gateway: await findGateway(session.repo.path) }))
  }

  if (links) {
    throw new UsageError('--link cannot be combined with --kubo, because links are kept in the repo: drop one of them')
  }

  const { openKubo } = await import('../kubo/kubo.ts')

  return work(await openKubo(kubo, { deterministic }, context.signal))
}

/**
 * Add paths one after the other. A root is printed only after it is synced and pinned, unless the
 * options turn these off. Small files are synced together.
 */
async function addEach (paths: string[], options: AddCommandOptions, store: Store, context: Context): Promise<number> {
  let failed = 0

  const fail = (err: unknown): void => {
    // wrong options are wrong for every file
    if (!(err instanceof Error) || exitCode(err) !== FAILED || paths.length === 1) {
      throw err
    }

    context.output.error(explain(err), err)
    failed++
  }

  const pending = new PendingRoots({ pin: options.pin, session: store, context, fail })

  for (const path of paths) {
    try {
      const stats = path === STDIN ? undefined : await stat(resolvePath(path, context.io))

      if (stats?.isFile() !== true || stats.size > MAX_BATCHED_SIZE) {
        // adding this path may take long: do not hold back the roots before it
        await pending.flush()
      }

      pending.push(await (stats?.isDirectory() === true ? addDirectory : addOne)(path, options, store, context))
    } catch (err) {
      await pending.flush()
      fail(err)
    }

    await pending.flushIfDue()
  }

  await pending.flush()

  return failed
}

async function addDirectory (
  path: string,
  options: AddCommandOptions,
  store: Store,
  context: Context
): Promise<PendingRoot> {
  const { io, output, signal } = context
  const { compression, link, quieter, hidden, ignore, preserve: { mode = true, mtime = true } } = options
  // resolved, so that `.` and `..` get the directory's real name
  const name = basename(resolve(io.cwd, path)) || '/'

  // printed only once the directory is pinned: until then gc may delete them. There may be millions
  const unprinted = new SpillStack<PrintedAdd>(temporaryFor(join(tmpdir(), 'ipfsz-add')))

  const added = await addTree(resolvePath(path, io), store.files, {
    hidden,
    ignore: ignoreMatcher(ignore),
    preserve: { mode, mtime },
    progress: output.progress(name),
    signal,
    add: { compression, link },
    async onAdded (added) {
      if (!quieter) {
        await unprinted.push(printed(added, `${name}/${added.path}`, urlOf(added)))
      }
    }
  }).catch(async (err: unknown) => {
    await unprinted.close()
    throw err
  })

  return {
    cid: added.root.cid,
    name,
    async print () {
      for await (const file of unprinted.from(0)) {
        printAdded(file, quieter, output)
      }

      await unprinted.close()

      if (added.hidden > 0) {
        const entries = added.hidden === 1 ? 'entry was' : 'entries were'
        output.note(`${printable(name)}: ${added.hidden} hidden ${entries} skipped: add them with --hidden`)
      }

      printAdded(printed(added.root, name, urlOf(added.root)), quieter, output)
      noteUrl(output, quieter ? undefined : urlOf(added.root))
    }
  }

  function urlOf ({ cid, path, type }: Added): string | undefined {
    const file = type === 'directory' ? undefined : basename(path)

    return store.gateway == null ? undefined : contentUrl(store.gateway, cid, file)
  }
}

function printed (
  { cid, plainCid, size, storedSize, ratio, codec, type }: Added,
  name: string,
  url: string | undefined
): PrintedAdd {
  return { cid: cid.toString(), plainCid: plainCid.toString(), name, size, storedSize, ratio, codec, type, url }
}

async function addOne (path: string, options: AddCommandOptions, store: Store, context: Context): Promise<PendingRoot> {
  const { io, output, signal } = context
  const { compression, link, quieter } = options
  const name = path === STDIN ? STDIN : basename(path)
  const source: Source = path === STDIN ? { content: io.stdin } : await open(resolvePath(path, io), options)
  const { content, size: total, metadata } = source
  const progress = output.progress(name, total)

  const cid = await store.files.addByteStream(content, {
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

  const { size, storedSize, ratio, codec, plainCid } = await store.files.stat(cid)
  const url = store.gateway == null ? undefined : contentUrl(store.gateway, cid, path === STDIN ? '' : name)

  return {
    cid,
    ...path === STDIN ? {} : { name },
    print () {
      const all = { cid: cid.toString(), plainCid: plainCid.toString(), name, size, storedSize, ratio, codec, url }
      printAdded(all, quieter, output)
      noteUrl(output, quieter ? undefined : url)
    }
  }
}

async function open (path: string, { preserve: { mode = false, mtime = false } }: AddCommandOptions): Promise<Source> {
  const stats = await stat(path, { bigint: true })

  return {
    content: createReadStream(path, { highWaterMark: readSize(stats) }),
    metadata: metadata(stats, { mode, mtime }),
    // pipes and devices report no size
    ...stats.isFile() ? { size: Number(stats.size) } : {}
  }
}
