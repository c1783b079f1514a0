import { GatewayError } from '../errors.ts'

/** Which blocks below the end of the path are sent (Trustless Gateway, `dag-scope`). */
export type DagScope = 'block' | 'entity' | 'all'

/** A range of bytes of a file, both ends included. Negative numbers count from its end, -1 is the last byte. */
export interface EntityBytes {
  from: number
  /** Undefined: the end of the file. */
  to?: number
}

/** What a request for a CAR asks for. The version is 1 and the order is depth first, always. */
export interface CarParams {
  scope: DagScope
  /** Only with the scope `entity`. */
  bytes?: EntityBytes
  /** Whether a block is sent each time that it occurs. */
  dups: boolean
}

const SCOPES: readonly string[] = ['block', 'entity', 'all'] satisfies DagScope[]

/** The values of each parameter that this gateway answers. A client that asks for an unknown order gets `dfs`. */
const SUPPORTED: Readonly<Record<string, readonly string[]>> = {
  version: ['1'],
  order: ['dfs', 'unk'],
  dups: ['y', 'n']
}

/**
 * Whether an `Accept` entry asks for a CAR that this gateway makes. A parameter of the URL takes
 * precedence (IPIP-0523), so it is not compared.
 */
export function isSupportedCar (parameters: Readonly<Record<string, string>>, query: URLSearchParams): boolean {
  return Object.entries(SUPPORTED).every(([name, values]) => {
    const value = query.has(`car-${name}`) ? undefined : parameters[name]

    return value == null || values.includes(value)
  })
}

/**
 * Read the parameters of a request for a CAR: those of the URL, then those of the `Accept` header.
 *
 * @param parameters - those of `application/vnd.ipld.car` in `Accept`
 * @throws {GatewayError} 400: a parameter of the URL is invalid. 406: one of `Accept` is not supported
 */
export function carParams (query: URLSearchParams, parameters: Readonly<Record<string, string>> = {}): CarParams {
  for (const [name, values] of Object.entries(SUPPORTED)) {
    const value = query.get(`car-${name}`)

    if (value != null && !values.includes(value)) {
      throw invalid(`car-${name}`, value, values.join(' or '))
    }
  }

  if (!isSupportedCar(parameters, query)) {
    throw new GatewayError(406, 'Only CARs with version=1, order=dfs and dups=y or n are available')
  }

  const dups = (query.get('car-dups') ?? parameters.dups) === 'y'
  const scope = query.get('dag-scope')
  const bytes = query.get('entity-bytes')

  if (scope != null && !isScope(scope)) {
    throw invalid('dag-scope', scope, 'block, entity or all')
  }

  // entity-bytes implies dag-scope=entity
  return bytes == null ? { scope: scope ?? 'all', dups } : { scope: 'entity', bytes: entityBytes(bytes), dups }
}

function isScope (value: string): value is DagScope {
  return SCOPES.includes(value)
}

function entityBytes (value: string): EntityBytes {
  const [, first, last] = /^(-?\d{1,16}):(-?\d{1,16}|\*)$/.exec(value) ?? []
  const from = Number(first)
  const to = last === '*' ? undefined : Number(last)

  if (!isPosition(from) || (to != null && !isPosition(to))) {
    throw invalid('entity-bytes', value, 'FROM:TO, with whole numbers, or * for the end')
  }

  // whatever the size of the file
  if (to != null && from > to && from < 0 === to < 0) {
    throw invalid('entity-bytes', value, 'a range that ends after its start')
  }

  return { from, ...to == null ? {} : { to } }
}

/** Whether it is a position: `-0` is none, as it would name the byte after the last. */
function isPosition (value: number): boolean {
  return Number.isSafeInteger(value) && !Object.is(value, -0)
}

function invalid (name: string, value: string, expected: string): GatewayError {
  return new GatewayError(400, `${name}=${value.slice(0, 100)} is invalid: it must be ${expected}`)
}
