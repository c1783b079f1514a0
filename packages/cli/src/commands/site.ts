import { readdir } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { nodeContext, withRepo } from '../context.ts'
import { resolvePath } from '../io.ts'
import { addTree } from '@ipfsz/node/internal/disk/add-tree'
import { ignoreMatcher } from '@ipfsz/node/internal/disk/ignore'
import { UsageError } from '../errors.ts'
import { DEFAULT_GATEWAY_ADDRESS } from '@ipfsz/node/internal/gateway/default-address'
import { findGateway } from '@ipfsz/node/internal/gateway/gateway-file'
import { PendingRoots } from '@ipfsz/node/internal/add/pending-roots'
import { readSiteScripts } from '../site-scripts.ts'
import { keepMatcher } from '@ipfsz/site/internal/keep'
import { readStart } from '@ipfsz/site/internal/read-start'
import { titleOf } from '@ipfsz/site/internal/title'
import { publishSite } from '@ipfsz/site/internal/publish-site'
import { RESERVED_PATHS } from '@ipfsz/site/internal/site-config'
import { addNotes } from '../terminal/add-summary.ts'
import { alignedRow, tabbedRow } from '../terminal/row.ts'
import { count, formatSize } from '../terminal/units.ts'
import { withLabel } from '../terminal/with-label.ts'
import { wrap } from '../terminal/wrap.ts'
import type { Context } from '../context.ts'
import type { AddedTree } from '@ipfsz/node/internal/disk/add-tree'
import type { MissingNeeds } from '@ipfsz/site/internal/page-needs'
import type { PublishedSite } from '@ipfsz/site/internal/publish-site'

export interface SiteAddOptions {
  /** Patterns of files that also stay plain. */
  keep: string[]
  ignore: string[]
  hidden: boolean
  level: number
  /** Makes parts of large files cheap to read. */
  optimize?: 'ranges' | undefined
  /** Store once what small files of a kind have in common. */
  dictionaries: boolean
}

/** The page of the root. */
const START = 'index.html'

const INDENT = '  '

/** Small enough that the worker, which has one thread, answers other requests between two frames, in bytes. */
const FRAME_SIZE = 1024 * 1024

/**
 * Add a static site, so that it is stored and sent compressed, and any gateway with subdomains shows it.
 *
 * @throws {UsageError} it has no file index.html, that file is ignored, or a file has one of our names
 */
export async function addSite (path: string, options: SiteAddOptions, context: Context): Promise<void> {
  const { io, output, signal } = context
  const directory = resolvePath(path, io)
  const title = await readTitle(path, directory)
  const scripts = await readSiteScripts()

  await withRepo(context, { lock: 'add' }, async session => {
    const paths: string[] = []
    const added = await addTree(directory, session.files, {
      add: {
        compression: {
          codec: 'zstd',
          level: options.level,
          ...options.optimize == null ? { frameSize: FRAME_SIZE } : { optimize: options.optimize },
          ...options.dictionaries ? { dictionaries: 'auto' } : {}
        }
      },
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
    if (!paths.includes(START)) {
      throw new UsageError(`${START} is excluded by --ignore, but a site needs it`)
    }

    const taken = paths.find(path => RESERVED_PATHS.test(path))

    if (taken != null) {
      throw new UsageError(`${taken} has a name that is reserved in published sites: rename it`)
    }

    const site = await output.during(`creating pages of ${path}`, async () => publishSite(session.files, {
      directory,
      title,
      tree: { ...added.root, paths },
      keeps: keepMatcher(options.keep),
      scripts,
      signal
    }))
    const gateway = await findGateway(session.repo.path)
    const roots = new PendingRoots({ pin: true, session, context: nodeContext(context), fail: err => { throw err } })

    roots.push({
      cid: site.cid,
      name: basename(resolve(directory)),
      report: () => { report(path, added, site, gateway, context) }
    })
    await roots.flush()
  })
}

/** The title of the first page, or else the name of the directory. */
async function readTitle (path: string, directory: string): Promise<string> {
  const entries = await readdir(directory, { withFileTypes: true })
  const start = entries.find(({ name }) => name === START)

  if (start == null) {
    throw new UsageError(`${path} has no ${START}: pass the directory of a built site`)
  }

  // a symlink is added as a file that holds its target
  if (!start.isFile()) {
    throw new UsageError(`${join(path, START)} is not a regular file`)
  }

  return titleOf(await readStart(join(directory, START))) ?? basename(resolve(directory))
}

function report (
  path: string,
  { root: { cid: tree, size, storedSize }, files, hidden, changed }: AddedTree,
  { cid, pages, kept, missing, loaderSize, workerSize, gzip }: PublishedSite,
  gateway: string | undefined,
  { output }: Context
): void {
  const stored = Number(storedSize)
  const first = stored + loaderSize + workerSize
  const firstGzip = stored + gzip.scripts
  const [, port] = DEFAULT_GATEWAY_ADDRESS.split(':')
  const url = gateway == null ? undefined : `${gateway.replace('127.0.0.1', 'localhost')}/ipfs/${cid}/`

  const site = url ?? `http://${cid}.ipfs.localhost:${port}/`
  const { width } = output
  const sentences = [
    `a first visit to all pages fetches ${formatSize(first)} instead of ${formatSize(size)}, including ` +
      `${formatSize(workerSize)} for the service worker`,
    `from a server that compresses with gzip: ${formatSize(firstGzip)} instead of ${formatSize(gzip.plain)}`,
    'later visits fetch nothing, or only the changes of a new release under the same name',
    `${count(pages, 'page')} through the loader, ${count(kept, 'file')} also uncompressed`,
    ...missing == null ? [] : [missingNote(missing)],
    ...first < size ? [] : ['this site loads faster uncompressed: ipfsz add --codec none'],
    ...addNotes({ hidden, executables: 0, changed, content: undefined })
  ]

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
      firstVisit: { compressed: first, plain: size, compressedGzip: firstGzip, plainGzip: gzip.plain },
      ...missing == null ? {} : { missing },
      ...url == null ? {} : { url }
    },
    [
      output.stdout.isTTY === true ? alignedRow([cid.toString(), path], width) : tabbedRow([cid.toString(), path]),
      '',
      ...wrap(`${count(files, 'file')}, ${formatSize(size)}, stored in ${formatSize(stored)}`, width).split('\n'),
      ...sentences.flatMap(sentence => wrap(output.typed(sentence), width - INDENT.length).split('\n'))
        .map(line => INDENT + line),
      ...withLabel(`${INDENT}open it: ${url == null ? output.typed('ipfsz gateway, then ') : ''}`, site, width)
    ].join('\n')
  )
}

/** A browser whose first visit is to an uncompressed page has no worker yet that would serve the files of the page. */
function missingNote ({ page, pages, patterns }: MissingNeeds): string {
  const others = pages > 1
    ? ` and ${count(pages - 1, 'other page')} are uncompressed, but not all they need`
    : undefined

  return `${page}${others ?? ' is uncompressed, but not all it needs'}: also pass ` +
    patterns.map(pattern => `--keep '${pattern}'`).join(' ')
}
