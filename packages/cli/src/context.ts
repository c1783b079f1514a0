import { ipfsz } from '@ipfsz/core'
import { CID } from 'multiformats/cid'
import { UsageError } from './errors.ts'
import { openRepo, openRepoToRead, repoPath } from './repo.ts'
import type { Output } from './output.ts'
import type { Ipfsz, IpfszInit } from '@ipfsz/core'

/** What a command is given besides its own arguments and options. */
export interface Context {
  output: Output
  /** Aborted by Ctrl-C. */
  signal: AbortSignal
  /** The directory of the repo, where it was named. */
  repo?: string
}

/** The files of the repo, to add to them. Nothing of it touches the network. */
export async function openFiles ({ repo }: Context, init?: IpfszInit): Promise<Ipfsz> {
  return ipfsz(await openRepo(repoPath(repo)), init)
}

/** The files of the repo, to read them. */
export async function openFilesToRead ({ repo }: Context): Promise<Ipfsz> {
  return ipfsz(await openRepoToRead(repoPath(repo)))
}

/**
 * @throws {UsageError} the text is not a CID
 */
export function parseCid (text: string): CID {
  try {
    return CID.parse(text.replace(/^(?:ipfs:\/\/|\/ipfs\/)/, ''))
  } catch (err) {
    throw new UsageError(`"${text}" is not a CID: give one as ipfsz add prints it`, { cause: err })
  }
}
