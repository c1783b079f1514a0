import type { RootCache } from './root-cache.ts'
import type { EntrySource } from './path.ts'
import type { GetStore } from '../dag/block.ts'
import type { comparing } from '../links/compare-original.ts'
import type { LinkRecord } from '../links/link-entries.ts'
import type { Codec } from '@ipfsz/codecs'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

interface ReadLinks {
  readonly available: boolean
  linkOf (original: CID): Promise<LinkRecord | undefined>
  /** Compares bytes with the original. Not imported by what reads: small programs have no links. */
  comparing: typeof comparing
}

export interface ReadSettings {
  blockstore: GetStore & Pick<Blockstore, 'put' | 'has'>
  /** @default IPLD objects are refused */
  objects?: EntrySource['objects']
  links: ReadLinks
  codecs: readonly Codec[]
  inFlightBytes: number
  /** Roots of the files that were read last. */
  roots: RootCache
}
