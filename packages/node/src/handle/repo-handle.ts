// Above 250 lines: what a handle can do stands in one place, as its contract does.
import { cwd, env } from 'node:process'
import { ipfsz } from '@ipfsz/core'
import { RepoLinks } from '../gateway/repo-links.ts'
import { storedBlocks } from '../gateway/stored-blocks.ts'
import { keepReads } from '../repo/keep-reads.ts'
import { openRepo, openRepoToRead, safeRepoPath } from '../repo/repo.ts'
import { RepoClosedError } from './repo-closed-error.ts'
import { asyncIterableOf, targetOf, targetsOf } from './targets.ts'
import type { AddedRoot, AddSource, AddSourcesOptions } from '../add/add-options.ts'
import type { ExportCarOptions, ExportedCar } from '../car/export-car.ts'
import type { CarSource, ImportCarOptions, ImportedCars } from '../car/import-car.ts'
import type { Collected, CollectOptions } from '../collect/collect.ts'
import type { NodeContext } from '../context.ts'
import type {
  AddDataOptions,
  AddDirectoryOptions,
  AddPathOptions,
  CallOptions,
  GetOptions,
  OpenRepo,
  OpenRepoInit,
  RepoHistory,
  RepoLinked,
  RepoOriginals,
  RepoPinned,
  Target,
  WithFilesOptions
} from './contract.ts'
import type { DiffContentOptions, Differences } from '../diff/diff-content.ts'
import type { Written } from '../get/get-content.ts'
import type { RepairOptions, RepairReport } from '../repair/repair-content.ts'
import type { RepoStats } from '../stats/count-repo.ts'
import type { MeasureUsageOptions, UsageReport } from '../usage/measure-usage.ts'
import type { VerifyContentOptions } from '../verify/verify-content.ts'
import type { VerifiedPins, VerifyPinsOptions } from '../verify/verify-pins.ts'
import type { Ipfsz, VerifyReport } from '@ipfsz/core'
import type { GatewayBlocks } from '@ipfsz/gateway'
import type { CID } from 'multiformats/cid'

/** Binds a repo to what can be done with it. Each method loads its room on its first call. */
export class RepoHandle implements OpenRepo {
  readonly path: string
  readonly files: Ipfsz
  readonly blocks: GatewayBlocks
  readonly pins: RepoPinned
  readonly links: RepoLinked
  readonly history: RepoHistory
  readonly originals: RepoOriginals
  readonly #init: OpenRepoInit
  readonly #closing: AbortController
  readonly #calls = new Set<Promise<unknown>>()
  readonly #release: () => Promise<void>
  #closed: Promise<void> | undefined

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
    this.pins = this.#pins()
    this.links = this.#links()
    this.history = this.#history()
    this.originals = this.#originals()
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

  async add (
    content: Uint8Array | AsyncIterable<Uint8Array>,
    { name, mode, mtime, ...options }: AddDataOptions = {}
  ): Promise<AddedRoot> {
    const size = content instanceof Uint8Array ? content.byteLength : undefined

    return this.#add({ open: () => asyncIterableOf(content), size, name, mode, mtime }, options)
  }

  async addFile (path: string, { name, ...options }: AddPathOptions = {}): Promise<AddedRoot> {
    return this.#add({ path, name }, options)
  }

  async addDirectory (path: string, { name, ...options }: AddDirectoryOptions = {}): Promise<AddedRoot> {
    return this.#add({ path, name }, options)
  }

  async get (target: Target, path: string, options: GetOptions = {}): Promise<Written> {
    return this.#call(options, async context =>
      (await import('../get/get-content.ts')).getContent(context, targetOf(target), { ...options, output: path }))
  }

  async withFiles<T> (
    target: Target,
    work: (files: Ipfsz, cid: CID, path: string) => Promise<T>,
    options: WithFilesOptions = {}
  ): Promise<T> {
    return this.#call(options, async context => {
      const { withTarget } = await import('../read/read-target.ts')

      const { scope = 'entity' } = options

      return withTarget(context, targetOf(target), { scope }, async ({ cid, path }, { files }) =>
        work(files, cid, path))
    })
  }

  async rm (target: Target, options: CallOptions = {}): Promise<void> {
    await this.#call(options, async context =>
      (await import('../links/links.ts')).removeContent(context, [targetOf(target)]))
  }

  async collect (options: CallOptions & CollectOptions = {}): Promise<Collected> {
    return this.#call(options, async context =>
      (await import('../collect/collect.ts')).collectGarbage(context, options))
  }

  async verify (target: Target, options: CallOptions & VerifyContentOptions = {}): Promise<VerifyReport> {
    return this.#call(options, async context =>
      (await import('../verify/verify-content.ts')).verifyContent(context, targetOf(target), options))
  }

  async verifyPins (options: CallOptions & VerifyPinsOptions = {}): Promise<VerifiedPins> {
    return this.#call(options, async context =>
      (await import('../verify/verify-pins.ts')).verifyPins(context, options))
  }

  async repair (
    targets: readonly Target[] = [],
    options: CallOptions & RepairOptions = {}
  ): Promise<RepairReport> {
    return this.#call(options, async context =>
      (await import('../repair/repair-content.ts')).repairContent(context, targetsOf(targets), options))
  }

  async diff (
    before: Target,
    after: Target,
    options: CallOptions & DiffContentOptions = {}
  ): Promise<Differences> {
    return this.#call(options, async context =>
      (await import('../diff/diff-content.ts')).diffContent(context, [targetOf(before), targetOf(after)], options))
  }

  async usage (
    targets: readonly Target[] = [],
    options: CallOptions & MeasureUsageOptions = {}
  ): Promise<UsageReport> {
    return this.#call(options, async context =>
      (await import('../usage/measure-usage.ts')).measureUsage(context, targetsOf(targets), options))
  }

  async stats (options: CallOptions = {}): Promise<RepoStats> {
    return this.#call(options, async context =>
      (await import('../stats/count-repo.ts')).countRepo(context))
  }

  async exportCar (
    targets: readonly Target[],
    output: string | ((bytes: Uint8Array) => Promise<void>),
    options: CallOptions & ExportCarOptions = {}
  ): Promise<ExportedCar> {
    return this.#call(options, async context =>
      (await import('../car/export-car.ts')).exportCar(context, targetsOf(targets), output, options))
  }

  async importCar (
    sources: readonly CarSource[],
    options: CallOptions & ImportCarOptions = {}
  ): Promise<ImportedCars> {
    return this.#call(options, async context =>
      (await import('../car/import-car.ts')).importCars(context, sources, options))
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

  #pins (): RepoPinned {
    return {
      add: async (target, options = {}) => this.#call(options, async context =>
        (await import('../pins/pins.ts')).addPins(context, [targetOf(target)])),
      rm: async (target, options = {}) => this.#call(options, async context =>
        (await import('../pins/pins.ts')).removePins(context, [targetOf(target)])),
      ls: (options = {}) => this.#list(options, async context =>
        (await import('../pins/pins.ts')).listPins(context, options))
    }
  }

  #links (): RepoLinked {
    return {
      add: async (original, compressed, options = {}) => this.#call(options, async context =>
        (await import('../links/links.ts')).addLink(context, targetOf(original), targetOf(compressed), options)),
      rm: async (target, options = {}) => this.#call(options, async context =>
        (await import('../links/links.ts')).removeLinks(context, [targetOf(target)])),
      ls: (options = {}) => this.#list(options, async context =>
        (await import('../links/links.ts')).listLinks(context))
    }
  }

  #originals (): RepoOriginals {
    return {
      index: async (targets = [], options = {}) => this.#call(options, async context =>
        (await import('../originals/originals.ts')).indexOriginals(context, targetsOf(targets), options)),
      ls: (options = {}) => this.#list(options, async context =>
        (await import('../originals/originals.ts')).listOriginals(context))
    }
  }

  #history (): RepoHistory {
    return {
      versions: (name, options = {}) => this.#list(options, async context =>
        (await import('../history/history.ts')).listVersions(context, name)),
      names: async (options = {}) => this.#call(options, async context =>
        (await import('../history/history.ts')).listHistories(context)),
      forget: async (name, options = {}) => this.#call(options, async context =>
        (await import('../history/history.ts')).forgetHistory(context, name)),
      retain: async (name, rules, options = {}) => this.#call(options, async context =>
        (await import('../history/forget-versions.ts')).forgetVersions(context, name, rules, options))
    }
  }

  /** @throws {RepoClosedError} */
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
