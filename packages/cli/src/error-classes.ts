import type { LockFile } from './locks/lock-file.ts'
import type { CID } from 'multiformats/cid'

/** The command line asks for something that does not exist or makes no sense. */
export class UsageError extends Error {
  static override readonly name = 'UsageError'
  override readonly name = 'UsageError'
}

/** The repo cannot be opened, or is one that this version does not know. */
export class RepoError extends Error {
  static override readonly name = 'RepoError'
  override readonly name = 'RepoError'
}

/** Several files were asked for and not all of them went well. What failed has been said. */
export class IncompleteError extends Error {
  static override readonly name = 'IncompleteError'
  override readonly name = 'IncompleteError'
}

/** What those do who hold a lock of a kind, as others are told. */
const ACTIVITIES = new Map([['gc', 'collects garbage'], ['convert', 'converts its blocks']])

/** A process that adds, collects garbage, or converts blocks, does not come to its end. */
export class RepoLockedError extends Error {
  static override readonly name = 'RepoLockedError'
  override readonly name = 'RepoLockedError'
  readonly pid: number
  readonly host: string
  /** The lock that it holds. */
  readonly file: string

  constructor (repo: string, { kind, pid, host, path }: LockFile) {
    super(`The repo ${repo} is in use by an ipfsz that ${ACTIVITIES.get(kind) ?? 'adds to it'} (process ${pid} on ${host}, which holds ${path}): wait for its end and try again`)
    this.pid = pid
    this.host = host
    this.file = path
  }
}

/** The links cannot be opened, or another process has them for too long. */
export class LinksError extends Error {
  static override readonly name = 'LinksError'
  override readonly name = 'LinksError'
}

/** A block is not in the repo. */
export class MissingBlockError extends Error {
  static override readonly name = 'MissingBlockError'
  override readonly name = 'MissingBlockError'
  readonly cid: CID

  constructor (cid: CID, options?: ErrorOptions) {
    super(`the block ${cid} is not in this repo`, options)
    this.cid = cid
  }
}

/** A block has a codec that this does not know. */
export class UnknownBlockError extends Error {
  static override readonly name = 'UnknownBlockError'
  override readonly name = 'UnknownBlockError'
  readonly cid: CID

  constructor (cid: CID, what: string) {
    super(`the block ${cid} has ${what}, which ipfsz does not know`)
    this.cid = cid
  }
}

/** Not everything below a root is there and whole: the cause says what is not. */
export class DamagedDagError extends Error {
  static override readonly name = 'DamagedDagError'
  override readonly name = 'DamagedDagError'
  readonly root: CID

  constructor (root: CID, cause: unknown) {
    super(`${root} is not complete: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    this.root = root
  }
}

/** There is no pin of that CID. */
export class NotPinnedError extends Error {
  static override readonly name = 'NotPinnedError'
  override readonly name = 'NotPinnedError'
  readonly cid: CID

  constructor (cid: CID) {
    super(`${cid} is not pinned: see ipfsz pin ls`)
    this.cid = cid
  }
}

/** The record of a pin is damaged, cannot be read, or is none. */
export class PinRecordError extends Error {
  static override readonly name = 'PinRecordError'
  override readonly name = 'PinRecordError'
  readonly file: string
  /** What it is the pin of, where its file is called so. */
  readonly cid: CID | undefined

  constructor (file: string, cid: CID | undefined, cause: unknown) {
    const advice = cid == null ? 'ipfsz did not write it: move it away, or delete it' : `rewrite it with ipfsz pin add ${cid}, or delete it with ipfsz pin rm ${cid}`

    super(`Cannot read the pin record ${file} (${cause instanceof Error ? cause.message : String(cause)}): ${advice}`, { cause })
    this.file = file
    this.cid = cid
  }
}

/** There is no link of that CID. */
export class NotLinkedError extends Error {
  static override readonly name = 'NotLinkedError'
  override readonly name = 'NotLinkedError'
  readonly cid: CID

  constructor (cid: CID) {
    super(`${cid} is not linked: see ipfsz link ls`)
    this.cid = cid
  }
}

/** A collection that would take what nobody had a chance to pin. */
export class NothingPinnedError extends Error {
  static override readonly name = 'NothingPinnedError'
  override readonly name = 'NothingPinnedError'
}

/** A CAR that is cut short, or holds something else than it says. */
export class InvalidCarError extends Error {
  static override readonly name = 'InvalidCarError'
  override readonly name = 'InvalidCarError'
}

/** An entry of a tree that cannot be added, or cannot be written to disk. */
export class TreeEntryError extends Error {
  static override readonly name = 'TreeEntryError'
  override readonly name = 'TreeEntryError'
  readonly path: string

  constructor (path: string, reason: string, options?: ErrorOptions) {
    super(`${path}: ${reason}`, options)
    this.path = path
  }
}

/** Nobody sent a block within the time that was given. */
export class NotFetchedError extends Error {
  static override readonly name = 'NotFetchedError'
  override readonly name = 'NotFetchedError'
  readonly cid: CID
  /** How long it was waited for anything to arrive, in milliseconds. */
  readonly timeout: number
  /** How many peers were found that say to have it. */
  readonly providers: number

  constructor (cid: CID, timeout: number, providers: number, options?: ErrorOptions) {
    const who = providers === 0
      ? 'nobody was found who has it'
      : `${providers === 1 ? 'the one peer that says' : `the ${providers} peers that say`} to have what it belongs to sent nothing`

    super(`the block ${cid} did not arrive within ${timeout / 1000} s: ${who}`, options)
    this.cid = cid
    this.timeout = timeout
    this.providers = providers
  }
}

/** A peer cannot be reached, or the address is none. */
export class NotConnectedError extends Error {
  static override readonly name = 'NotConnectedError'
  override readonly name = 'NotConnectedError'
  readonly address: string

  constructor (address: string, reason: string, options?: ErrorOptions) {
    super(`${address} cannot be connected to: ${reason}`, options)
    this.address = address
  }
}

/** A node cannot listen, or cannot be started. */
export class NodeError extends Error {
  static override readonly name = 'NodeError'
  override readonly name = 'NodeError'
}

/** Another daemon has the repo. */
export class DaemonRunningError extends Error {
  static override readonly name = 'DaemonRunningError'
  override readonly name = 'DaemonRunningError'
  readonly pid: number
  readonly host: string
  /** The lock that it holds. */
  readonly file: string

  constructor (repo: string, { pid, host, path }: LockFile) {
    super(`A daemon runs on the repo ${repo} already (process ${pid} on ${host}, which holds ${path}): end it first, or name another repo with --repo`)
    this.pid = pid
    this.host = host
    this.file = path
  }
}

/** The daemon of the repo is needed, or does not answer as it should. */
export class DaemonError extends Error {
  static override readonly name = 'DaemonError'
  override readonly name = 'DaemonError'
}

/** A name cannot be published or resolved. */
export class NameError extends Error {
  static override readonly name = 'NameError'
  override readonly name = 'NameError'
}
