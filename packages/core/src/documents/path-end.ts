import type { CID } from 'multiformats/cid'

/**
 * Where names lead in a document: to a link, and how many of them lead to it; to nothing, and which one is missing; or
 * to a value that is no link.
 */
export type PathEnd = { cid: CID, used: number } | { missing: string } | 'value'
