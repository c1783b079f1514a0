import { InvalidParametersError } from '@ipfsz/core/reader'
import { dnsLabel, parseCid } from '../request/content-root.ts'
import type { CID } from 'multiformats/cid'

/** A site whose paths are those of the worker's origin. */
export interface SiteInit {
  /** The root of the site, such as the marked CID of a directory. Its pages run scripts. */
  root: CID | string
  /**
   * Paths that the server of the page answers, such as `/api/`: those that begin with one of these.
   *
   * @default []
   */
  except?: readonly string[] | undefined
}

/** There is no such host: the gateway takes it for one whose subdomains are origins of roots. */
export const SITE_HOST = 'site.invalid'

export class Site {
  readonly root: CID
  /** The root has its own origin: `_redirects` work, and paths begin at it. */
  readonly origin: string
  readonly #except: readonly string[]

  /** @throws {InvalidParametersError} the root is not a CID, or one that no DNS label can hold */
  constructor ({ root, except = [] }: SiteInit) {
    const cid = parseCid(root.toString())
    const label = cid == null ? undefined : dnsLabel(cid)

    if (cid == null || label == null) {
      throw new InvalidParametersError(`The root ${JSON.stringify(`${root}`)} of the site is not a CID, or is too long`)
    }

    this.root = cid
    this.origin = `http://${label}.ipfs.${SITE_HOST}`
    this.#except = except
  }

  leavesOut (path: string): boolean {
    return this.#except.some(start => path.startsWith(start))
  }
}
