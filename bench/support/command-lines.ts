import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { COMMAND } from './file-systems.ts'
import { runCommand } from './run-command.ts'
import type { Outcome, Task } from './task.ts'

/** Command lines for a shell. */
export interface CommandLines {
  /** Adds FILE, and prints its CID. */
  add: string
  /** Prints CID, or FILE as it was added. */
  cat: string
}

export const KUBO = 'Kubo'
export const KUBO_PIPED = 'Kubo, zstd -3 piped'

/** The commands of Kubo, with what is piped into and out of it. No daemon runs. */
export const KUBO_LINES: Readonly<Record<string, CommandLines>> = {
  [KUBO]: { add: 'ipfs add --offline -Q FILE', cat: 'ipfs cat --offline CID' },
  [KUBO_PIPED]: { add: 'zstd -3 -c FILE | ipfs add --offline -Q', cat: 'ipfs cat --offline CID | zstd -dc' }
}

/** Its repository holds one file. */
export const RESTIC_LINES: CommandLines = { add: 'restic backup -q FILE', cat: 'restic dump -q latest FILE' }

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

/** Add a file with a command, read it, and remove the repo. */
export async function addAndRead (
  { add, cat }: CommandLines,
  file: string,
  repo: string,
  env: NodeJS.ProcessEnv
): Promise<Array<Omit<Outcome, 'base'> & Pick<Task, 'action'>>> {
  const added = await runCommand(add.replace('FILE', quote(file)), env)
  const cid = added.stdout
  const read = await runCommand(`${cat.replace('CID', cid).replace('FILE', quote(file))} > /dev/null`, env)
  await rm(repo, { recursive: true })

  return ([['add', added], ['cat', read]] as const).map(([action, { wall, cpu, peak }]) => (
    { action, walls: [wall], cpus: [cpu], peak, cid }
  ))
}
