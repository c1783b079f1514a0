// Above 250 lines: the wants, streams and early blocks of a root live and end together.
import { unmark } from '../../marker.ts'
import { Budget } from '../../util/budget.ts'
import { askGateways } from './ask-gateways.ts'
import { blockKey } from '../../dag/block-key.ts'
import { EntityStream } from './entity-stream.ts'
import { GatewaysFailedError } from './errors.ts'
import { MAX_RAW_REQUESTS, MAX_STREAMS } from './limits.ts'
import { fetchRawBlock } from './raw-block.ts'
import { GatewaySettings } from './settings.ts'
import { Want } from './want.ts'
import type { EarlyBudget } from './early-blocks.ts'
import type { Gateway } from './gateway.ts'
import type { GatewaySettingsInit } from './settings.ts'
import type { GatewayBlock, SourceFetchOptions } from './want.ts'
import type { BlockSource } from '../source.ts'
import type { FilePart } from '../../dag/block.ts'
import type { CID } from 'multiformats/cid'

/** What will be read below a root, as far as it is known before anything is fetched. */
export interface ReadPlan {
  /** The path below the root, such as `a/b.txt`, or empty. */
  path: string
  /**
   * All blocks below what the path leads to, the whole file or directory without the files in it, or only its root
   * block.
   */
  scope: 'all' | 'entity' | 'block'
}

export interface HttpSourceInit extends GatewaySettingsInit {
  /** The root, plain or marked. */
  root: CID
  /**
   * What all sources that share it hold of blocks before they are asked for, and the maximum of that.
   *
   * @default of its own
   */
  early?: EarlyBudget | undefined
  /** With it, the first request brings all that the plan names, and not only the root. */
  plan?: ReadPlan | undefined
  /**
   * Whether to ask for each block alone, and for no CARs. Then nothing is held that nobody waits for: for a source that
   * serves many readers, and lives long.
   *
   * @default false
   */
  singleBlocks?: boolean | undefined
}

/**
 * Fetches the blocks below one root from HTTP gateways (Trustless Gateway). What is read in order arrives as one CAR
 * for each file, or in pieces from several gateways if that takes long; single blocks are asked for alone. Every block
 * is checked against its CID before it is returned.
 *
 * Memory is bounded: besides the blocks that are waited for, it holds 16 MiB that arrived early, a block of 2 MiB for
 * each response, and what the system buffers of them. There are at most 16 responses with single blocks, and for each
 * of 8 files one CAR, or two from every gateway.
 */
export class HttpSource implements BlockSource {
  protected readonly closed = new AbortController()
  readonly #settings: GatewaySettings
  readonly #root: CID
  readonly #singleBlocks: boolean
  readonly #requests = new Budget(MAX_RAW_REQUESTS)
  readonly #wants = new Map<string, Want>()
  /** By the CID of the file. The one that was used last is last. */
  readonly #streams = new Map<string, EntityStream>()
  readonly #early: EarlyBudget
  #plan: ReadPlan | undefined
  #planned: EntityStream | undefined

  constructor ({ root, plan, singleBlocks = false, early = { used: 0 }, ...init }: HttpSourceInit) {
    this.#settings = new GatewaySettings(init)
    this.#root = unmark(root)
    this.#singleBlocks = singleBlocks
    this.#early = early
    this.#plan = plan
  }

  /**
   * Fetch a block below the root.
   *
   * @throws {GatewaysFailedError} no gateway sends it
   */
  async fetch (
    cid: CID,
    { signal = this.closed.signal, ...options }: SourceFetchOptions = {}
  ): Promise<GatewayBlock> {
    signal.throwIfAborted()
    this.closed.signal.throwIfAborted()

    const key = blockKey(cid)

    for (const stream of this.#all()) {
      const early = stream.take(key, options.part)

      if (early != null) {
        return early
      }
    }

    const known = this.#wants.get(key)
    const want = known ?? new Want(cid, key, options)
    const result = want.wait(signal)

    if (known == null) {
      this.#wants.set(key, want)
      want.signal.addEventListener('abort', () => { this.#wants.delete(key) }, { once: true })
      this.#assign(want)
    }

    return result
  }

  found (_: CID, { part }: Pick<SourceFetchOptions, 'part'>): void {
    if (part != null) {
      this.#all().find(stream => stream.accepts(part))?.found(part)
    }
  }

  failures (): readonly Error[] {
    return this.#settings.failures
  }

  /**
   * Stop the response of the plan, because much of what it brings is stored here already. What it has brought can still
   * be fetched.
   */
  dropPlan (): void {
    this.#plan = undefined
    this.#planned?.stop()
  }

  /** End all responses. */
  close (): void {
    this.closed.abort()
    this.#all().forEach(stream => { stream.close() })
    this.#streams.clear()
  }

  #all (): EntityStream[] {
    return [...this.#streams.values(), ...this.#planned == null ? [] : [this.#planned]]
  }

  /** Decide which request brings a block. */
  #assign (want: Want): void {
    const stream = this.#singleBlocks ? undefined : this.#chooseStream(want)

    if (stream == null) {
      this.#fetchAlone(want)
    } else {
      stream.ask(want)
    }
  }

  #chooseStream (want: Want): EntityStream | undefined {
    if (want.part != null) {
      return this.#streamFor(want, want.part)
    }

    return want.isFarAhead ? undefined : this.#planFor(want)
  }

  /** The stream of the plan, which begins with the root. */
  #planFor (want: Want): EntityStream | undefined {
    const plan = this.#plan
    this.#plan = undefined

    if (plan == null || blockKey(this.#root) !== want.key) {
      return this.#planned?.isOpen === true ? this.#planned : undefined
    }

    if (plan.scope === 'block' && plan.path === '') {
      // that is the block alone
      return undefined
    }

    const names = plan.path.split('/').filter(name => name !== '').map(encodeURIComponent)
    const path = `${['ipfs', this.#root.toString(), ...names].join('/')}?format=car&dag-scope=${plan.scope}`

    return this.#planned = this.#makeStream({ path, cid: want.cid })
  }

  #streamFor (want: Want, part: FilePart): EntityStream | undefined {
    const file = part.file.toString()
    const open = this.#streams.get(file) ?? (this.#planned?.accepts(part) === true ? this.#planned : undefined)

    if (open != null) {
      if (this.#streams.delete(file)) {
        this.#streams.set(file, open)
      }

      return open
    }

    if (want.isAlone) {
      return undefined
    }

    if (this.#streams.size >= MAX_STREAMS) {
      const idle = [...this.#streams].find(([, stream]) => stream.isIdle)

      if (idle == null) {
        return undefined
      }

      idle[1].close()
      this.#streams.delete(idle[0])
    }

    const stream = this.#makeStream()
    this.#streams.set(file, stream)

    return stream
  }

  #makeStream (first?: { path: string, cid: CID }): EntityStream {
    return new EntityStream({
      settings: this.#settings,
      early: this.#early,
      first,
      fetchAlone: want => { this.#fetchAlone(want) },
      signal: this.closed.signal
    })
  }

  #fetchAlone (want: Want): void {
    if (this.#settings.carsOnly) {
      want.reject(new GatewaysFailedError(want.cid, []))
      return
    }

    this.#fetchRaw(want).catch((err: unknown) => { want.reject(err) })
  }

  async #fetchRaw (want: Want): Promise<void> {
    const settings = this.#settings
    const signal = AbortSignal.any([want.signal, this.closed.signal])
    const { cid, isFarAhead } = want
    const { gateway, value: bytes } = await this.#requests.during(1, async () => askGateways(
      async (gateway, stop) => gateway.during(fetchRawBlock(gateway.url, cid, stop, settings)),
      { cid, settings, signal, load: isFarAhead ? this.#loadOf : undefined }
    ), signal)

    settings.succeeded(gateway)
    want.resolve({ bytes, verified: true, sender: gateway.url } as const)
  }

  /** How busy a gateway is. One that sends what the plan names would send what is far ahead later. */
  readonly #loadOf = (gateway: Gateway): number =>
    this.#planned?.isSentBy(gateway) === true ? Number.POSITIVE_INFINITY : gateway.requests
}
