import { NamedError } from '@ipfsz/utils/named-error'
import { CID } from 'multiformats/cid'
import type { FetchOptions } from './network.ts'
import type { FilePart } from '@ipfsz/core'
import type { ReadPlan } from '@ipfsz/core/http'

/** Maximum number of peers that a command names. */
const MAX_NAMED = 256

/** Thrown when a request is not what it should be. `status` is the HTTP status. */
export class BadRequestError extends NamedError {
  static override readonly name = 'BadRequestError'
  readonly status: number

  constructor (message: string, status = 400, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}

/** A request, parsed from JSON. */
export type Body = Record<string, unknown>

export function parseBody (bytes: Uint8Array): Body {
  try {
    const value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown

    if (typeof value === 'object' && value != null) {
      return value as Body
    }
  } catch (err) {
    throw new BadRequestError('the request is not valid JSON', 400, { cause: err })
  }

  throw new BadRequestError('the request is not a JSON object')
}

/** The arguments of `Network.fetch` as JSON. */
export function fetchRequest (cid: CID, { root, part, ...rest }: Omit<FetchOptions, 'onLacks' | 'signal'>): Body {
  return {
    cid: cid.toString(),
    root: root.toString(),
    ...rest,
    ...part == null ? {} : { part: { ...part, file: part.file.toString() } }
  }
}

/**
 * The arguments of `Network.fetch` from JSON.
 *
 * @throws {BadRequestError} it is something else
 */
export function readFetchRequest (body: Body): { cid: CID, options: Omit<FetchOptions, 'signal'> } {
  const { size, part, plan, search, named } = body

  return {
    cid: cidField(body, 'cid'),
    options: {
      root: cidField(body, 'root'),
      ...size == null ? {} : { size: numberField(body, 'size') },
      ...part == null ? {} : { part: filePart(object(body, 'part')) },
      ...plan == null ? {} : { plan: readPlan(object(body, 'plan')) },
      ...named == null ? {} : { named: peerIds(named) },
      search: search === 'lost' || search === 'none' ? search : 'all',
      store: body.store !== false
    }
  }
}

export function textField (body: Body, key: string): string {
  const value = body[key]

  if (typeof value !== 'string') {
    throw new BadRequestError(`${key} is not a string`)
  }

  return value
}

export function numberField (body: Body, key: string): number {
  const value = body[key]

  if (typeof value !== 'number' || !(value > 0)) {
    throw new BadRequestError(`${key} is not a number above 0`)
  }

  return value
}

function object (body: Body, key: string): Body {
  const value = body[key]

  if (typeof value !== 'object' || value == null) {
    throw new BadRequestError(`${key} is not an object`)
  }

  return value as Body
}

function filePart (body: Body): FilePart {
  const { start, end, here = end } = body

  if (!isPosition(start) || !isPosition(end) || !isPosition(here) || Math.min(end, here) <= start) {
    throw new BadRequestError('part is not a range of bytes')
  }

  return { file: cidField(body, 'file'), start, end, ...body.here == null ? {} : { here } }
}

function peerIds (value: unknown): string[] {
  if (!Array.isArray(value) || value.length > MAX_NAMED || value.some(id => typeof id !== 'string')) {
    throw new BadRequestError(`named is not a list of at most ${MAX_NAMED} peer ids`)
  }

  return value
}

function isPosition (value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function readPlan (body: Body): ReadPlan {
  const { scope } = body

  if (scope !== 'all' && scope !== 'entity' && scope !== 'block') {
    throw new BadRequestError('plan has no known scope')
  }

  return { scope, path: textField(body, 'path') }
}

export function cidField (body: Body, key: string): CID {
  return parseCid(textField(body, key))
}

export function parseCid (text: string): CID {
  try {
    return CID.parse(text)
  } catch (err) {
    throw new BadRequestError(`${JSON.stringify(text)} is not a CID`, 400, { cause: err })
  }
}
