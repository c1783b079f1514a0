import { GatewayError } from '../errors.ts'
import { parseAccept } from './accept.ts'
import { isSupportedCar } from './car-params.ts'
import type { Accepted } from './accept.ts'
import type { Target } from './target.ts'

/** How the client wants what the path leads to. `file`: as a browser does. */
export type Format =
  'file' | 'raw' | 'car' | 'tar' | 'json' | 'cbor' | 'dag-json' | 'dag-cbor' | 'ipns-record'

export interface ChosenFormat {
  format: Format
  /** Those of `application/vnd.ipld.car` in `Accept`. */
  parameters: Readonly<Record<string, string>>
}

/** The media type of each format that a client can ask for (Path Gateway, `Accept`). */
export const MEDIA_TYPES: Readonly<Record<Exclude<Format, 'file'>, string>> = {
  raw: 'application/vnd.ipld.raw',
  car: 'application/vnd.ipld.car',
  tar: 'application/x-tar',
  json: 'application/json',
  cbor: 'application/cbor',
  'dag-json': 'application/vnd.ipld.dag-json',
  'dag-cbor': 'application/vnd.ipld.dag-cbor',
  'ipns-record': 'application/vnd.ipfs.ipns-record'
}

const FORMATS = new Map(Object.entries(MEDIA_TYPES).map(([format, type]) => [type, format as Format]))

/** Types that clients of any API send, most often next to a wildcard. */
const COMMON: ReadonlySet<Format | undefined> = new Set(['json', 'cbor'])

/**
 * Choose the format of the response. `?format` takes precedence over `Accept`
 * (specs.ipfs.tech/ipips/ipip-0523).
 *
 * @throws {GatewayError} 400: the value of `?format` is unknown, or an IPNS record is asked for what
 *   is not an IPNS name alone. 406: the client accepts only CARs that this gateway does not make
 */
export function chooseFormat (target: Target, request: Request): ChosenFormat {
  const { query } = target
  const accepted = parseAccept(request.headers.get('accept'))
  const wanted = query.get('format') ?? ''
  const chosen = wanted === '' ? negotiate(accepted, query) : byName(wanted, accepted, query)

  if (chosen.format === 'ipns-record' && (target.namespace !== 'ipns' || target.path.length > 0)) {
    throw new GatewayError(400, 'IPNS records are only available for /ipns/NAME, without a path')
  }

  return chosen
}

/** Whether the client accepts `text/html`: then documents are shown as pages. */
export function acceptsHtml (request: Request): boolean {
  return parseAccept(request.headers.get('accept')).some(({ type }) => type === 'text/html')
}

/**
 * The URL of a response in the format that was chosen, where the request does not say it, or says two
 * things: caches keep the response under it (Path Gateway, `Content-Location`).
 */
export function contentLocation (target: Target, request: Request, format: Format): string | undefined {
  if (format === 'file' || (target.query.get('format') === format && !contradicts(request, format))) {
    return undefined
  }

  return `${new URL(request.url).pathname}?${withFormat(target.search, format)}`
}

/** A query with another format. All else stays as it was written. */
function withFormat (search: string, format: Format): string {
  const pairs = search.slice(1).split('&').filter(Boolean)
  const first = pairs.findIndex(isFormat)
  const at = first === -1 ? pairs.length : first

  return [...pairs.slice(0, at), `format=${format}`, ...pairs.slice(at).filter(pair => !isFormat(pair))].join('&')
}

function isFormat (pair: string): boolean {
  return new URLSearchParams(pair).has('format')
}

function contradicts (request: Request, format: Format): boolean {
  return parseAccept(request.headers.get('accept')).some(({ type }) => (FORMATS.get(type) ?? format) !== format)
}

function byName (wanted: string, accepted: Accepted[], query: URLSearchParams): ChosenFormat {
  if (!Object.hasOwn(MEDIA_TYPES, wanted)) {
    throw new GatewayError(400, `The format ${JSON.stringify(wanted.slice(0, 100))} is unknown. ` +
      `Known formats are: ${Object.keys(MEDIA_TYPES).join(', ')}`)
  }

  const cars = wanted === 'car' ? accepted.filter(({ type }) => type === MEDIA_TYPES.car) : []
  const parameters = (cars.find(({ parameters }) => isSupportedCar(parameters, query)) ?? cars[0])?.parameters ?? {}

  return { format: wanted as Format, parameters }
}

function negotiate (accepted: Accepted[], query: URLSearchParams): ChosenFormat {
  const formats = accepted.map(({ type }) => FORMATS.get(type))
  const others = formats.includes(undefined)
  let best: Accepted | undefined

  for (const [i, entry] of accepted.entries()) {
    const format = formats[i]

    // a client that also takes other types does not insist on a common one
    const skipped = format == null || (others && COMMON.has(format))

    if (skipped || (format === 'car' && !isSupportedCar(entry.parameters, query))) {
      continue
    }

    // of equal weight, a format is more specific than a wildcard, and rarer than a type of files
    const first = accepted.find((_, j) => formats[j] == null)

    if (first == null || entry.q >= first.q) {
      best = entry
    }

    break
  }

  if (best != null) {
    return { format: FORMATS.get(best.type) ?? 'file', parameters: best.parameters }
  }

  if (accepted.length > 0 && !others) {
    throw new GatewayError(406, 'Only CARs with version=1, order=dfs and dups=y or n are available')
  }

  return { format: 'file', parameters: {} }
}
