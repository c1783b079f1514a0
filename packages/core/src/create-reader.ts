import { DEFAULT_IN_FLIGHT_BYTES } from './constants.ts'
import { checkInFlightBytes } from './check-init.ts'
import { fetchSettings } from './fetch/init.ts'
import { FileReader } from './file-reader.ts'
import type { IpfszComponents, IpfszInit, IpfszReader } from './contract.ts'
import type { Codec } from '@ipfsz/codecs'

export type ReaderComponents = Omit<IpfszComponents, 'datastore'>

export interface ReaderInit extends Pick<IpfszInit, 'inFlightBytes' | 'fetch'> {
  codecs: readonly Codec[]
}

/** Reading follows no links, so there is nothing to look up. */
const NO_LINKS = {
  available: false,
  linkOf: async () => undefined,
  comparing: (): never => { throw new Error('there are no links') }
}

/**
 * Create what reads files and directories, on any object with a blockstore.
 *
 * @throws {InvalidParametersError} `inFlightBytes` or a number in `fetch` is not above 0
 */
export function ipfszReader (
  { blockstore, sources = [], routing }: ReaderComponents,
  { codecs, inFlightBytes = DEFAULT_IN_FLIGHT_BYTES, fetch }: ReaderInit
): IpfszReader {
  checkInFlightBytes(inFlightBytes)

  return new FileReader({
    blockstore,
    links: NO_LINKS,
    codecs,
    inFlightBytes,
    fetch: fetchSettings(fetch),
    routing,
    sources
  })
}
