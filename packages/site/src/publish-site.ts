import { readdir, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { ipfsz } from '@ipfsz/core'
import { exportCar } from '@ipfsz/node/car'
import { UsageError } from '@ipfsz/node/errors'
import { beginStep, duringStep } from '@ipfsz/node/events'
import { ignoreMatcher } from '@ipfsz/node/files'
import {
  addTree, checkFileTarget, checkNoOverwrite, countNewBlocks, findGateway, PendingRoots, withRepo
} from '@ipfsz/node/session'
import { findRelease } from './find-release.ts'
import { keepMatcher } from './keep.ts'
import { makeSite } from './make-site.ts'
import { readStart } from './read-start.ts'
import { RESERVED_PATHS } from './site-config.ts'
import { readSiteScripts } from './site-scripts.ts'
import { titleOf } from './title.ts'
import { withBase } from './with-base.ts'
import type { PublishedSite, PublishSiteOptions } from './contract.ts'
import type { Bases } from './find-release.ts'
import type { AddedTree, NodeContext, Session } from '@ipfsz/node/session'

type AddFilesOptions = Omit<PublishSiteOptions, 'base'> & { base: Bases | undefined }

/** The page of the root. */
const START = 'index.html'

/** In the loader, if the start page has no title: not the name of the directory, which is another elsewhere. */
const DEFAULT_TITLE = 'Site'

/** Small enough that the worker, which has one thread, answers other requests between two frames, in bytes. */
const FRAME_SIZE = 1024 * 1024

/**
 * The same for files with a base, 8 MiB: browsers that have the base take what changed if the file is one frame, and
 * accept no larger windows (RFC 9842). The worker is busy with one of 6 MB for as long as with five of `FRAME_SIZE`.
 */
const BASED_FRAME_SIZE = 8 * 1024 * 1024

/** The default of `level`. */
const DEFAULT_LEVEL = 19

/**
 * Add a static site to a repo, compressed, so that any gateway with subdomains shows it, and pin it.
 *
 * @param repo - an open repo, or the path of one. It is created if there is none
 * @param directory - of the built site
 * @throws {UsageError} it has no file index.html, that file is ignored, or a file has one of our names
 * @throws {TreeEntryError} a file of it cannot be added, or the CAR exists
 * @throws {InvalidBaseError} the last release is not a directory
 * @throws {NotFoundError} the repo does not have it
 * @throws {NameError} its name cannot be resolved
 */
export async function publishSite (
  repo: { path: string } | string,
  directory: string,
  options: PublishSiteOptions = {}
): Promise<PublishedSite> {
  const { name = directory, signal = new AbortController().signal, onProgress, car } = options
  const { bootstrap = [], ...network } = options.network ?? { offline: true }
  const path = resolve(typeof repo === 'string' ? repo : repo.path)
  const context: NodeContext = { repo: path, signal, network, bootstrap, onProgress }
  await checkCar(directory, options)
  const title = await readTitle(name, directory)
  const scripts = await readSiteScripts()
  const deterministic = car != null

  const published = await withBase(options.base, context, async given =>
    withRepo(context, { lock: 'add', deterministic }, async opened => {
      const { blockstore, newBytes } = countNewBlocks(opened.repo.blockstore)
      const session = { ...opened, files: ipfsz({ blockstore, datastore: opened.links }, { deterministic }) }
      const release = await findRelease(directory, given, session, context)
      const { added, paths } = await addFiles(directory, { ...options, base: release.base }, session, context)
      const site = await duringStep(context, { task: 'make-pages', name }, async () => makeSite(session.files, {
        directory,
        title,
        tree: { ...added.root, paths },
        keeps: keepMatcher([...options.keep ?? []]),
        scripts,
        signal
      }))
      const gateway = await findGateway(session.repo.path)
      const newSize = await newBytes(site.cid, signal)
      // only bases and dictionaries are fetched besides what is stored
      const { fetchSize } = release.base == null && options.dictionaries !== true
        ? { fetchSize: added.root.storedSize }
        : await session.files.stat(added.root.cid, { extended: true, signal })
      const roots = new PendingRoots({ pin: true, session, context, fail: err => { throw err } })

      roots.push({
        cid: site.cid,
        name: basename(resolve(directory)),
        report: async () => release.remember?.({ ...added.root, addedSize: newSize })
      })
      await roots.flush()

      const { root: { cid: tree, size, storedSize }, content: { files }, hidden, changed } = added
      const url = gateway == null ? undefined : `${gateway.replace('127.0.0.1', 'localhost')}/ipfs/${site.cid}/`

      return {
        ...site,
        tree,
        size,
        storedSize: Number(storedSize),
        fetchSize: Number(fetchSize),
        newSize,
        files,
        hidden,
        changed,
        url
      }
    }))
  // pinned: no collection takes it
  const carSize = car == null
    ? undefined
    : (await exportCar(context, [{ cid: published.cid, path: '', text: '' }], car, options)).size

  return { ...published, carSize }
}

/** @throws {TreeEntryError} the CAR exists, and may not be replaced */
async function checkCar (directory: string, { car, force = false }: PublishSiteOptions): Promise<void> {
  if (car != null) {
    const [site, place] = await Promise.all([directory, dirname(car)].map(async path =>
      realpath(path).catch(() => resolve(path))))
    const below = relative(site, place)

    if (below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below)) {
      throw new UsageError(`${car} is in the site, so the next release would have it as a file: choose another place`)
    }

    await (force ? checkFileTarget(car) : checkNoOverwrite(car))
  }
}

/** Add the files of the site, and note their paths. */
async function addFiles (
  directory: string,
  { name = directory, level = DEFAULT_LEVEL, optimize, dictionaries = false, base, ...options }: AddFilesOptions,
  { files }: Pick<Session, 'files'>,
  context: NodeContext
): Promise<{ added: AddedTree, paths: string[] }> {
  const paths: string[] = []
  const added = await addTree(directory, files, {
    add: {
      compression: {
        codec: 'zstd',
        level,
        ...optimize == null ? { frameSize: FRAME_SIZE, basedFrameSize: BASED_FRAME_SIZE } : { optimize },
        ...dictionaries ? { dictionaries: 'auto' } : {},
        ...base == null ? {} : { base }
      }
    },
    progress: beginStep(context, { task: 'add', name, unit: 'bytes' }),
    gitignore: false,
    hidden: options.hidden ?? false,
    ignore: ignoreMatcher([...options.ignore ?? []]),
    preserve: { mode: false, mtime: false },
    signal: context.signal,
    async onAdded ({ path, type }) {
      if (type === 'file') {
        paths.push(path)
      }
    }
  })

  if (!paths.includes(START)) {
    throw new UsageError(`${START} is excluded by an ignore pattern, but a site needs it`)
  }

  const taken = paths.find(path => RESERVED_PATHS.test(path))

  if (taken != null) {
    throw new UsageError(`${taken} has a name that is reserved in published sites: rename it`)
  }

  return { added, paths }
}

/** The title of the first page, or else the name of the directory. */
async function readTitle (name: string, directory: string): Promise<string> {
  const entries = await readdir(directory, { withFileTypes: true })
  const start = entries.find(({ name }) => name === START)

  if (start == null) {
    throw new UsageError(`${name} has no ${START}: pass the directory of a built site`)
  }

  // a symlink is added as a file that holds its target
  if (!start.isFile()) {
    throw new UsageError(`${join(name, START)} is not a regular file`)
  }

  return titleOf(await readStart(join(directory, START))) ?? DEFAULT_TITLE
}
