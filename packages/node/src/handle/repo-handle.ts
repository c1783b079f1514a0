import { cwd, env } from 'node:process'
import { ipfsz } from '@ipfsz/core'
import { RepoLinks } from '../gateway/repo-links.ts'
import { storedBlocks } from '../gateway/stored-blocks.ts'
import { keepReads } from '../repo/keep-reads.ts'
import { openRepo, openRepoToRead, safeRepoPath } from '../repo/repo.ts'
import { RepoClosedError } from './repo-closed-error.ts'
import { asyncIterableOf, targetOf, targetsOf } from './targets.ts'
import type { AddedRoot, AddSource, AddSourcesOptions } from '../add/add-options.ts'
import type { NodeContext } from '../context.ts'
import type {
  AddDirectoryOptions, CallOptions, OpenRepo, OpenRepoInit, RepoHistory, RepoLinked, RepoOriginals, RepoPinned
} from './contract.ts'
import type { Ipfsz } from '@ipfsz/core'
import type { GatewayBlocks } from '@ipfsz/gateway'

/** Binds a repo to what can be done with it. Each method loads its room on its first call. */
export class RepoHandle implements OpenRepo {
  readonly path: string
  readonly files: Ipfsz
  readonly blocks: GatewayBlocks
  readonly #init: OpenRepoInit
  readonly #closing: AbortController
  readonly #calls = new Set<Promise<unknown>>()
  readonly #release: () => Promise<void>
  #closed: Promise<void> | undefined

  readonly pins: RepoPinned = {
    add: async (target, options = {}) => this.#call(options, async context =>
      (await import('../pins/pins.ts')).addPins(context, [targetOf(target)])),
    rm: async (target, options = {}) => this.#call(options, async context =>
      (await import('../pins/pins.ts')).removePins(context, [targetOf(target)])),
    ls: (options = {}) => this.#list(options, async context =>
      (await import('../pins/pins.ts')).listPins(context, options))
  }

  readonly links: RepoLinked = {
    add: async (original, compressed, options = {}) => this.#call(options, async context =>
      (await import('../links/links.ts')).addLink(context, targetOf(original), targetOf(compressed), options)),
    rm: async (target, options = {}) => this.#call(options, async context =>
      (await import('../links/links.ts')).removeLinks(context, [targetOf(target)])),
    ls: (options = {}) => this.#list(options, async context =>
      (await import('../links/links.ts')).listLinks(context))
  }

  readonly originals: RepoOriginals = {
    index: async (targets = [], options = {}) => this.#call(options, async context =>
      (await import('../originals/originals.ts')).indexOriginals(context, targetsOf(targets), options)),
    ls: (options = {}) => this.#list(options, async context =>
      (await import('../originals/originals.ts')).listOriginals(context))
  }

  readonly history: RepoHistory = {
    versions: (name, options = {}) => this.#list(options, async context =>
      (await import('../history/history.ts')).listVersions(context, name)),
    names: async (options = {}) => this.#call(options, async context =>
      (await import('../history/history.ts')).listHistories(context)),
    forget: async (name, options = {}) => this.#call(options, async context =>
      (await import('../history/history.ts')).forgetHistory(context, name)),
    retain: async (name, rules, options = {}) => this.#call(options, async context =>
      (await import('../history/forget-versions.ts')).forgetVersions(context, name, rules, options))
  }

  readonly add: OpenRepo['add'] = async (content, { name, mode, mtime, ...options } = {}) => {
    const size = content instanceof Uint8Array ? content.byteLength : undefined

    return this.#add({ open: () => asyncIterableOf(content), size, name, mode, mtime }, options)
  }

  readonly addFile: OpenRepo['addFile'] = async (path, { name, ...options } = {}) => this.#add({ path, name }, options)

  readonly addDirectory: OpenRepo['addDirectory'] = async (path, { name, ...options } = {}) =>
    this.#add({ path, name }, options)

  readonly get: OpenRepo['get'] = async (target, path, options = {}) => this.#call(options, async context =>
    (await import('../get/get-content.ts')).getContent(context, targetOf(target), { ...options, output: path }))

  readonly withFiles: OpenRepo['withFiles'] = async (target, work, options = {}) =>
    this.#call(options, async context => {
      const { withTarget } = await import('../read/read-target.ts')
      const { scope = 'entity' } = options

      return withTarget(context, targetOf(target), { scope }, async ({ cid, path }, { files }) =>
        work(files, cid, path))
    })

  readonly rm: OpenRepo['rm'] = async (target, options = {}) => this.#call(options, async context =>
    (await import('../links/links.ts')).removeContent(context, [targetOf(target)]))

  readonly collect: OpenRepo['collect'] = async (options = {}) => this.#call(options, async context =>
    (await import('../collect/collect.ts')).collectGarbage(context, options))

  readonly verify: OpenRepo['verify'] = async (target, options = {}) => this.#call(options, async context =>
    (await import('../verify/verify-content.ts')).verifyContent(context, targetOf(target), options))

  readonly verifyPins: OpenRepo['verifyPins'] = async (options = {}) => this.#call(options, async context =>
    (await import('../verify/verify-pins.ts')).verifyPins(context, options))

  readonly repair: OpenRepo['repair'] = async (targets = [], options = {}) => this.#call(options, async context =>
    (await import('../repair/repair-content.ts')).repairContent(context, targetsOf(targets), options))

  readonly diff: OpenRepo['diff'] = async (before, after, options = {}) => this.#call(options, async context =>
    (await import('../diff/diff-content.ts')).diffContent(context, [targetOf(before), targetOf(after)], options))

  readonly usage: OpenRepo['usage'] = async (targets = [], options = {}) => this.#call(options, async context =>
    (await import('../usage/measure-usage.ts')).measureUsage(context, targetsOf(targets), options))

  readonly stats: OpenRepo['stats'] = async (options = {}) => this.#call(options, async context =>
    (await import('../stats/count-repo.ts')).countRepo(context))

  readonly exportCar: OpenRepo['exportCar'] = async (targets, output, options = {}) =>
    this.#call(options, async context =>
      (await import('../car/export-car.ts')).exportCar(context, targetsOf(targets), output, options))

  readonly importCar: OpenRepo['importCar'] = async (sources, options = {}) => this.#call(options, async context =>
    (await import('../car/import-car.ts')).importCars(context, sources, options))

  private constructor (
    path: string,
    init: OpenRepoInit,
    { files, blocks, closing, release }: Pick<OpenRepo, 'files' | 'blocks'> & {
      closing: AbortController
      release: () => Promise<void>
    }
  ) {
    this.path = path
    this.files = files
    this.blocks = blocks
    this.#init = init
    this.#closing = closing
    this.#release = release
  }

  static async open (given: string | undefined, init: OpenRepoInit): Promise<RepoHandle> {
    const path = safeRepoPath(given, { env, get cwd () { return cwd() } })
    const closing = new AbortController()
    const signal = init.signal == null ? closing.signal : AbortSignal.any([closing.signal, init.signal])
    const opened = await (init.create === false ? openRepoToRead : openRepo)(path, { signal, layout: init.layout })
    const { repo, close } = await keepReads(opened, true, init)
    const links = new RepoLinks(repo, signal)
    const getStored = storedBlocks(repo.blockstore)

    return new RepoHandle(path, init, {
      closing,
      files: ipfsz({ blockstore: repo.blockstore, datastore: links }),
      blocks: {
        get: (cid, options) => repo.blockstore.get(cid, options),
        has: async (cid, options) => repo.blockstore.has(cid, options),
        ...getStored == null ? {} : { getStored }
      },
      async release () {
        await links.close()
        await close()
        await repo.close()
      }
    })
  }

  async close (): Promise<void> {
    this.#closing.abort(new RepoClosedError(this.path))
    this.#closed ??= Promise.allSettled(this.#calls).then(this.#release)
    await this.#closed
  }

  async [Symbol.asyncDispose] (): Promise<void> {
    await this.close()
  }

  async #add (
    source: AddSource,
    { base, ...options }: Omit<AddDirectoryOptions, 'name'>
  ): Promise<AddedRoot> {
    return this.#call(options, async context => {
      const { addSources } = await import('../add/add-sources.ts')
      let added: AddedRoot | undefined
      const init: AddSourcesOptions = {
        ...options,
        base: base == null || base === 'latest' ? base : targetOf(base),
        onRoot (root) { added = root }
      }

      await addSources(context, [source], init)

      // one source either fails or is reported
      return added as AddedRoot
    })
  }

  #context ({ signal, onProgress = this.#init.onProgress }: CallOptions): NodeContext {
    this.#closing.signal.throwIfAborted()
    const signals = [this.#closing.signal, this.#init.signal, signal].filter(signal => signal != null)
    const { bootstrap = [], ...network } = this.#init.network ?? { offline: true }

    return { repo: this.path, signal: AbortSignal.any(signals), network, bootstrap, onProgress }
  }

  /** Do work that `close` waits for. */
  async #call<T> (options: CallOptions, work: (context: NodeContext) => Promise<T>): Promise<T> {
    const context = this.#context(options)
    context.signal.throwIfAborted()
    const call = work(context)
    this.#calls.add(call)

    try {
      return await call
    } finally {
      this.#calls.delete(call)
    }
  }

  async * #list<T> (
    options: CallOptions,
    work: (context: NodeContext) => Promise<AsyncIterable<T>>
  ): AsyncGenerator<T> {
    const context = this.#context(options)
    context.signal.throwIfAborted()

    yield * await work(context)
  }
}
