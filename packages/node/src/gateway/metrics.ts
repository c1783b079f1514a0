import { Histogram } from '@ipfsz/utils/histogram'
import type { AccessEntry } from './access-log.ts'
import type { StoreRequests, StoreTraffic } from '@ipfsz/shared-store/objects'

/** What a response was, for the label `kind`. */
export type ResponseKind =
  | 'stored' | 'compressed' | 'file' | 'range' | 'block' | 'car' | 'tar' | 'listing' | 'document' | 'record'
  | 'unchanged' | 'redirect' | 'error' | 'other'

/** Content types that are a kind of their own. */
const KINDS: Readonly<Record<string, ResponseKind>> = {
  'application/vnd.ipld.raw': 'block',
  'application/vnd.ipld.car': 'car',
  'application/x-tar': 'tar',
  'application/vnd.ipld.dag-json': 'document',
  'application/vnd.ipld.dag-cbor': 'document',
  'application/vnd.ipfs.ipns-record': 'record'
}

interface Response {
  status: number
  contentType?: string | undefined
  contentEncoding?: string | undefined
  etag?: string | undefined
}

/** Tell what a response was from its status and headers. */
export function kindOf ({ status, contentType = '', contentEncoding, etag = '' }: Response): ResponseKind {
  if (status === 304) {
    return 'unchanged'
  }

  if (status >= 400) {
    return 'error'
  }

  if (status >= 300) {
    return 'redirect'
  }

  const kind = KINDS[contentType.split(';', 1)[0].trim().toLowerCase()]

  if (kind != null) {
    return kind
  }

  if (etag.includes('"DirIndex-')) {
    return 'listing'
  }

  if (status === 206) {
    return 'range'
  }

  if (status !== 200) {
    return 'other'
  }

  if (contentEncoding == null) {
    return 'file'
  }

  // strong ETags are of stored bytes
  return etag.startsWith('W/') ? 'compressed' : 'stored'
}

/** What a gateway keeps of what it fetched. */
interface Cache {
  readonly bytes: number
}

/** Counts what a gateway does, and prints it in Prometheus' text format 0.0.4. */
export class Metrics {
  readonly #requests = new Map<string, { kind: ResponseKind, status: number, count: number, bytes: number }>()
  readonly #durations = new Histogram()
  readonly #version: string
  #inFlight = 0
  #incomplete = 0
  #decompressed = 0
  #fetched = { blocks: 0, bytes: 0 }
  #droppedLines = 0
  #cache: Cache | undefined
  #store: StoreTraffic | undefined

  constructor (version: string) {
    this.#version = version
  }

  /** Requests that are being answered. */
  get inFlight (): number {
    return this.#inFlight
  }

  begin (): void {
    this.#inFlight++
  }

  end (kind: ResponseKind, { status, bytes, duration, complete }: AccessEntry): void {
    const key = `${kind} ${status}`
    const row = this.#requests.get(key) ?? { kind, status, count: 0, bytes: 0 }

    row.count++
    row.bytes += bytes
    this.#requests.set(key, row)
    this.#inFlight--
    this.#incomplete += complete ? 0 : 1
    this.#durations.add(duration / 1000)
  }

  /** Count original bytes that were decompressed for a response. */
  decompressed (bytes: number): void {
    this.#decompressed += bytes
  }

  /** Count a block that was fetched from another node. */
  fetched (bytes: number): void {
    this.#fetched.blocks++
    this.#fetched.bytes += bytes
  }

  /** Also print what a cache holds. */
  watchCache (cache: Cache | undefined): void {
    this.#cache = cache
  }

  /** Also print what is asked of a shared store. */
  watchStore (store: StoreTraffic | undefined): void {
    this.#store = store
  }

  /** Count a line of the access log that nobody read in time. */
  dropLine (): void {
    this.#droppedLines++
  }

  print (): string {
    const rows = [...this.#requests.values()]
    const labels = ({ kind, status }: typeof rows[number]): string => `{kind="${kind}",status="${status}"}`
    const { user, system } = process.cpuUsage()

    return [
      metric('ipfsz_gateway_requests_total', 'counter', 'Requests answered.',
        rows.map(row => `${labels(row)} ${row.count}`)),
      metric('ipfsz_gateway_response_bytes_total', 'counter', 'Bytes sent in response bodies.',
        rows.map(row => `${labels(row)} ${row.bytes}`)),
      metric('ipfsz_gateway_incomplete_responses_total', 'counter',
        'Responses not sent completely, because of an error or a disconnected client.', [` ${this.#incomplete}`]),
      metric('ipfsz_gateway_requests_in_flight', 'gauge', 'Requests in progress.', [` ${this.#inFlight}`]),
      metric('ipfsz_gateway_decompressed_bytes_total', 'counter',
        'Bytes decompressed, by original size. Files sent as stored are not counted.',
        [` ${this.#decompressed}`]),
      metric('ipfsz_gateway_fetched_blocks_total', 'counter', 'Blocks fetched from other nodes.',
        [` ${this.#fetched.blocks}`]),
      metric('ipfsz_gateway_fetched_bytes_total', 'counter', 'Bytes of the blocks fetched from other nodes.',
        [` ${this.#fetched.bytes}`]),
      ...this.#cache == null ? [] : printCache(this.#cache),
      ...this.#store == null ? [] : printStore(this.#store),
      metric('ipfsz_gateway_log_lines_dropped_total', 'counter', 'Lines of the access log that were dropped.',
        [` ${this.#droppedLines}`]),
      metric('ipfsz_gateway_request_duration_seconds', 'histogram', 'Time from a request to the end of its response.',
        this.#durations.print()),
      metric('process_cpu_seconds_total', 'counter', 'Processor time of the process.', [` ${(user + system) / 1e6}`]),
      metric('process_resident_memory_bytes', 'gauge', 'Memory of the process.', [` ${process.memoryUsage.rss()}`]),
      metric('ipfsz_info', 'gauge', 'The version of ipfsz.', [`{version="${this.#version}"} 1`])
    ].join('')
  }
}

function printCache ({ bytes }: Cache): string[] {
  return [
    metric('ipfsz_gateway_cache_bytes', 'gauge', 'Size of the cache of fetched blocks.', [` ${bytes}`])
  ]
}

function printStore ({ rows, cache: { hits, misses } }: StoreTraffic): string[] {
  const values = (of: (row: StoreRequests) => number): string[] => rows.map(row => `{${labels(row)}} ${of(row)}`)

  return [
    metric('ipfsz_store_requests_total', 'counter', 'Requests to the shared store.',
      values(({ durations }) => durations.count)),
    metric('ipfsz_store_bytes_total', 'counter', 'Bytes read from or written to the shared store, as stored.',
      values(({ bytes }) => bytes)),
    metric('ipfsz_store_request_duration_seconds', 'histogram', 'Duration of requests to the shared store.',
      rows.flatMap(row => row.durations.print(labels(row)))),
    metric('ipfsz_store_cache_hits_total', 'counter', 'Blocks of the store read from the local cache.',
      [` ${hits}`]),
    metric('ipfsz_store_cache_misses_total', 'counter', 'Blocks of the store not in the local cache.', [` ${misses}`])
  ]
}

function labels ({ kind, outcome }: StoreRequests): string {
  return `kind="${kind}",outcome="${outcome}"`
}

function metric (name: string, type: 'counter' | 'gauge' | 'histogram', help: string, values: string[]): string {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...values.map(value => `${name}${value}`), ''].join('\n')
}
