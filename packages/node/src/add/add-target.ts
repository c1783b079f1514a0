import type { Session } from '../context.ts'
import type { KuboSession } from '../kubo/kubo.ts'
import type { BlockSink } from './block-sink.ts'
import type { LatestVersions } from './latest-versions.ts'
import type { CID } from 'multiformats/cid'

/** Where files are added: the repo, a Kubo, or nowhere if only CIDs are wanted. */
export interface AddTarget extends
  Pick<Session, 'files'>,
  Partial<Pick<Session, 'repo' | 'links'> & Pick<KuboSession, 'pins'>> {
  /** Where threads put blocks of small files, or `none` if only CIDs are wanted. Undefined: there are no threads. */
  sink?: BlockSink | 'none' | undefined
  /** The URL of a gateway that serves the repo, if one runs. */
  gateway?: string | undefined
  /** Bytes of the new blocks of a root, if they are counted. */
  newBytes?: (root: CID, signal: AbortSignal) => Promise<number>
  /** The histories of what is added, for the base `latest`. */
  latest?: Pick<LatestVersions, 'find' | 'added'> | undefined
  /**
   * Makes what checks the bases of the files below a root: see `baseChecker`. Not for a Kubo, which walks what it pins.
   */
  basesOf?: (earlier: CID) => Promise<(base: CID) => Promise<void>>
}
