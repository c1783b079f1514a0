import { readdir, readFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { resolvePath, withRepo } from '../context.ts'
import { addTree } from '../disk/add-tree.ts'
import { ignoreMatcher } from '../disk/ignore.ts'
import { UsageError } from '../errors.ts'
import { findGateway } from '../gateway/gateway-file.ts'
import { PendingRoots } from '../pending-roots.ts'
import { readSiteScripts } from '../site-scripts.ts'
import { keepMatcher } from '../site/keep.ts'
import { titleOf } from '../site/loader-page.ts'
import { publishSite } from '../site/publish-site.ts'
import { TREE_NAME, WORKER_FILE } from '../site/site-config.ts'
import { addNotes } from '../terminal/add-summary.ts'
import { count, formatSize } from '../terminal/units.ts'
import type { Context } from '../context.ts'
import type { AddedTree } from '../disk/add-tree.ts'
import type { PublishedSite } from '../site/publish-site.ts'

export interface SiteAddOptions {
  /** Patterns of files that also stay plain. */
  keep: string[]
  ignore: string[]
  hidden: boolean
  level: number
}

/** Small enough that the worker, which has one thread, answers other requests between two frames, in bytes. */
const FRAME_SIZE = 1024 * 1024

/** Names in the root of what is published, which the site itself cannot have. */
const RESERVED = [WORKER_FILE, TREE_NAME]

/**
 * Add a static site, so that it is stored and sent compressed, and any gateway with subdomains shows it.
 *
 * @throws {UsageError} it has no index.html, or a file with one of our names
 */
export async function addSite (path: string, options: SiteAddOptions, context: Context): Promise<void> {
  const { io, output, signal } = context
  const directory = resolvePath(path, io)
  const title = await readTitle(path, directory)
  const scripts = await readSiteScripts()

  await withRepo(context, { lock: 'add' }, async session => {
    const paths: string[] = []
    const added = await addTree(directory, session.files, {
      add: { compression: { codec: 'zstd', level: options.level, frameSize: FRAME_SIZE } },
      progress: output.progress(path),
      gitignore: false,
      hidden: options.hidden,
      ignore: ignoreMatcher(options.ignore),
      preserve: { mode: false, mtime: false },
      signal,
      async onAdded ({ path, type }) {
        if (type === 'file') {
          paths.push(path)
        }
      }
    })
    const taken = paths.find(path => RESERVED.includes(path.split('/')[0]))

    if (taken != null) {
      throw new UsageError(`${taken} has a name that published sites need: rename it`)
    }

    const site = await publishSite(session.files, {
      directory,
      title,
      tree: { ...added.root, paths },
      keeps: keepMatcher(options.keep),
      scripts,
      signal
    })
    const gateway = await findGateway(session.repo.path)
    const roots = new PendingRoots({ pin: true, session, context, fail: err => { throw err } })

    roots.push({
      cid: site.cid,
      name: basename(resolve(directory)),
      print: () => { report(path, added, site, gateway, context) }
    })
    await roots.flush()
  })
}

/** The title of the first page, or else the name of the directory. */
async function readTitle (path: string, directory: string): Promise<string> {
  const names = await readdir(directory)

  if (!names.includes('index.html')) {
    throw new UsageError(`${path} has no index.html: name the directory of a built site`)
  }

  return titleOf(await readFile(join(directory, 'index.html'), 'utf8')) ?? basename(resolve(directory))
}

function report (
  path: string,
  { root: { cid: tree, size, storedSize }, files, hidden }: AddedTree,
  { cid, pages, kept, loaderSize, workerSize }: PublishedSite,
  gateway: string | undefined,
  { output }: Context
): void {
  const stored = Number(storedSize)
  const first = stored + loaderSize + workerSize
  const url = gateway == null ? undefined : `${gateway.replace('127.0.0.1', 'localhost')}/ipfs/${cid}/`

  output.result(
    {
      cid: cid.toString(),
      tree: tree.toString(),
      files,
      pages,
      kept,
      size,
      storedSize: stored,
      loaderSize,
      workerSize,
      ...url == null ? {} : { url }
    },
    [
      `${cid}\t${path}`,
      '',
      `${count(files, 'file')}, ${formatSize(size)}, stored in ${formatSize(stored)}`,
      `  a first visit to all of it fetches ${formatSize(first)} instead of ${formatSize(size)}: ` +
        `${formatSize(workerSize)} of that are the worker`,
      '  later visits fetch nothing; of a new release below the same name, what changed',
      `  ${count(pages, 'page')} through the loader, ${count(kept, 'file')} also plain`,
      ...first < size ? [] : ['  so small a site is loaded faster if it is added with: ipfsz add --codec none'],
      ...addNotes({ hidden, executables: 0, content: undefined }).map(note => `  ${note}`),
      ...url == null ? [] : [`  ${url}`]
    ].join('\n')
  )
}
