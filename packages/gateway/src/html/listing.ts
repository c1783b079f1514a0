/** What a page of a directory shows. */
export interface Listing {
  /** `/ipfs/CID/a/b`, decoded names. The first two are the namespace and the root. */
  path: string[]
  /** The CID of the directory, plain or marked, as links should name it. */
  cid: string
  /** Original bytes of everything below it, if known. */
  size?: bigint
  storedSize?: bigint
  entries: ListingEntry[]
  /** Entries that were left out, because of the limit. Undefined: none. */
  truncatedAt?: number
  /** The path of the link `..`, absent at the root. */
  parent?: string
  /** `//localhost:8080` on a subdomain, where links to other CIDs lead to the path gateway; otherwise empty. */
  gatewayUrl: string
  /** The prefix of links to entries: the path of this directory, with a slash at its end. */
  base: string
}

export interface ListingEntry {
  name: string
  /** The CID that reads the entry, marked if it is compressed. */
  cid: string
  type: 'file' | 'directory' | 'symlink' | 'unknown'
  /** Original bytes. Undefined for directories, and where the root block is missing. */
  size?: bigint
  storedSize?: bigint
  codec?: string
}
