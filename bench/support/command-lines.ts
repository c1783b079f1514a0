import { join } from 'node:path'
import { COMMAND } from './file-systems.ts'

/** Command lines for a shell. */
export interface CommandLines {
  /** Adds FILE, and prints its CID. */
  add: string
  /** Prints CID. */
  cat: string
}

export const KUBO = 'Kubo'
export const KUBO_PIPED = 'Kubo, zstd -3 piped'

/** The commands of Kubo, with what is piped into and out of it. No daemon runs. */
export const KUBO_LINES: Readonly<Record<string, CommandLines>> = {
  [KUBO]: { add: 'ipfs add --offline -Q FILE', cat: 'ipfs cat --offline CID' },
  [KUBO_PIPED]: { add: 'zstd -3 -c FILE | ipfs add --offline -Q', cat: 'ipfs cat --offline CID | zstd -dc' }
}

/** A path of Node, for a shell. */
export const NODE = quote(process.execPath)

const IPFSZ = `${NODE} ${quote(join(import.meta.dirname, '../../packages/cli/bin/ipfsz.js'))}`

export const OWN_LINES: Readonly<Record<string, CommandLines>> = {
  [COMMAND]: { add: `${IPFSZ} add -Q FILE`, cat: `${IPFSZ} cat CID` }
}

/** Quote a path for a shell. */
export function quote (path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`
}
