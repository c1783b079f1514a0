import { cwd, env } from 'node:process'
import { startDaemon } from '../daemon/daemon.ts'
import { emit } from '../events.ts'
import { bootstrapTexts } from '../network/environment.ts'
import { SELF } from '../network/names/keys.ts'
import { openRepo } from '../handle/open-repo.ts'
import { safeRepoPath } from '../repo/repo.ts'
import type { CallOptions, OpenRepo } from '../handle/contract.ts'
import type { Daemon } from '../daemon/daemon.ts'
import type { ConnectedPeer, NodeId, Provider, PublishedName, ResolvedName } from '../network/network.ts'
import type { OpenNodeInit, PublishNameOptions, RunningNode } from './contract.ts'
import type { CID } from 'multiformats/cid'

/** Binds a daemon in this process to a repo, which reaches it as every process does. */
export class NodeHandle implements RunningNode {
  readonly id: NodeId
  readonly repo: OpenRepo
  readonly #daemon: Daemon
  readonly #ended = new AbortController()
  readonly #signal: AbortSignal

  private constructor (daemon: Daemon, repo: OpenRepo, signal: AbortSignal | undefined) {
    this.id = daemon.id
    this.repo = repo
    this.#daemon = daemon
    this.#signal = signal == null ? this.#ended.signal : AbortSignal.any([this.#ended.signal, signal])
  }

  static async start (given: string | undefined, init: OpenNodeInit): Promise<NodeHandle> {
    const path = safeRepoPath(given, { env, get cwd () { return cwd() } })
    const { signal, onProgress, provide = 'roots', bootstrap, ...rest } = init
    const daemon = await startDaemon({
      ...rest,
      bootstrap: bootstrapTexts(bootstrap, env),
      provide,
      repo: path,
      signal: signal ?? new AbortController().signal,
      onNote: message => { emit(init, 'ipfsz:warning', { message, isMinor: true }) },
      verbose: true
    })

    try {
      return new NodeHandle(daemon, await openRepo(path, { network: {}, signal, onProgress }), signal)
    } catch (err) {
      await daemon.stop()
      throw err
    }
  }

  async peers (): Promise<ConnectedPeer[]> {
    return this.#daemon.network.peers()
  }

  async connect (address: string, options: CallOptions = {}): Promise<string> {
    return this.#daemon.network.connect(address, this.#during(options))
  }

  findProviders (cid: CID, options: CallOptions = {}): AsyncIterable<Provider> {
    return this.#daemon.network.findProviders(cid, this.#during(options))
  }

  async provide (cids: readonly CID[]): Promise<void> {
    await this.#daemon.network.provide(cids)
  }

  async publishName (cid: CID, options: PublishNameOptions = {}): Promise<PublishedName> {
    const { path = '', key = SELF, lifetime } = options

    return this.#daemon.network.publishName(cid, path, { key, lifetime, signal: this.#during(options) })
  }

  async resolveName (name: string, options: CallOptions = {}): Promise<ResolvedName> {
    return this.#daemon.network.resolveName(name, this.#during(options))
  }

  async stop (): Promise<void> {
    this.#ended.abort()
    await this.repo.close()
    await this.#daemon.stop()
  }

  async [Symbol.asyncDispose] (): Promise<void> {
    await this.stop()
  }

  #during ({ signal }: CallOptions): AbortSignal {
    return signal == null ? this.#signal : AbortSignal.any([this.#signal, signal])
  }
}
