import { allCodecs } from '@ipfsz/codecs/all'
import { InvalidParametersError } from './errors.ts'
import { createWithCodecs } from './create-with-codecs.ts'
import type { Ipfsz, IpfszComponents, IpfszInit } from './contract.ts'
import type { MakeIpfsz } from './create-with-codecs.ts'

/**
 * Create an {@link Ipfsz} on a Helia node, or on any object with a blockstore.
 *
 * @throws {InvalidParametersError} `inFlightBytes` or a number in `fetch` is not above 0,
 *   or `deterministic` is set together with `codecs`
 */
export function ipfsz (components: IpfszComponents, init: IpfszInit = {}): Ipfsz {
  return createIpfsz(components, init)
}

/** The same, made by another function. */
export function createIpfsz (components: IpfszComponents, init: IpfszInit, make?: MakeIpfsz): Ipfsz {
  const { codecs = allCodecs(), deterministic = false } = init

  if (deterministic && init.codecs != null) {
    throw new InvalidParametersError(
      'deterministic cannot be combined with codecs: create those with allCodecs({ deterministic: true })'
    )
  }

  const writers = deterministic ? allCodecs({ deterministic }) : codecs

  return createWithCodecs(components, { ...init, codecs, writers }, make)
}
