import { messageOf } from '@ipfsz/codecs/internal'
import type { LockFile } from './locks/lock-file.ts'
import type { CID } from 'multiformats/cid'

/** The arguments or options are invalid. */
export class UsageError extends Error {
  static override readonly name = 'UsageError'
  override readonly name = 'UsageError'
}

/** The repo cannot be opened, or this version cannot read it. */
export class RepoError extends Error {
  static override readonly name = 'RepoError'
  override readonly name = 'RepoError'
}

/** Part of the work failed. The single errors have already been printed. */
export class IncompleteError extends Error {
  static override readonly name = 'IncompleteError'
  override readonly name = 'IncompleteError'
}

/** What the holder of a lock does, by the kind of the lock. */
const ACTIVITIES = new Map([['gc', 'is collecting garbage'], ['convert', 'is converting its blocks']])

/** Another process that adds, collects garbage or converts blocks held the repo's lock for too long. */
export class RepoLockedError extends Error {
  static override readonly name = 'RepoLockedError'
  override readonly name = 'RepoLockedError'
  readonly pid: number
  readonly host: string
  /** The lock file that it holds. */
  readonly file: string

  constructor (repo: string, { kind, pid, host, path }: LockFile) {
    const activity = ACTIVITIES.get(kind) ?? 'is adding to it'

    super(
      `The repo ${repo} is in use: process ${pid} on ${host} ${activity}, and holds ${path}. ` +
        'Wait until it ends, and try again'
    )
    this.pid = pid
    this.host = host
    this.file = path
  }
}

/** The links cannot be opened, or another process held them for too long. */
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

/** A block has a codec that ipfsz does not support. */
export class UnknownBlockError extends Error {
  static override readonly name = 'UnknownBlockError'
  override readonly name = 'UnknownBlockError'
  readonly cid: CID

  constructor (cid: CID, what: string) {
    super(`the block ${cid} has ${what}, which ipfsz does not support`)
    this.cid = cid
  }
}

/** A block of a DAG is missing or damaged: the cause says which. */
export class DamagedDagError extends Error {
  static override readonly name = 'DamagedDagError'
  override readonly name = 'DamagedDagError'
  readonly root: CID

  constructor (root: CID, cause: unknown) {
    super(`${root} is not complete: ${messageOf(cause)}`, { cause })
    this.root = root
  }
}

/** The CID is not pinned. */
export class NotPinnedError extends Error {
  static override readonly name = 'NotPinnedError'
  override readonly name = 'NotPinnedError'
  readonly cid: CID

  constructor (cid: CID) {
    super(`${cid} is not pinned: list the pins with ipfsz pin ls`)
    this.cid = cid
  }
}

/** A pin record is damaged, cannot be read, or is not a pin record at all. */
export class PinRecordError extends Error {
  static override readonly name = 'PinRecordError'
  override readonly name = 'PinRecordError'
  readonly file: string
  /** The pinned CID, if the name of the file tells it. */
  readonly cid: CID | undefined

  constructor (file: string, cid: CID | undefined, cause: unknown) {
    const advice = cid == null
      ? 'ipfsz did not write this file: move it elsewhere, or delete it'
      : `rewrite it with ipfsz pin add ${cid}, or delete it with ipfsz pin rm ${cid}`

    super(
      `Cannot read the pin record ${file} (${messageOf(cause)}): ${advice}`,
      { cause }
    )
    this.file = file
    this.cid = cid
  }
}

/** The CID has no link. */
export class NotLinkedError extends Error {
  static override readonly name = 'NotLinkedError'
  override readonly name = 'NotLinkedError'
  readonly cid: CID

  constructor (cid: CID) {
    super(`${cid} is not linked: list the links with ipfsz link ls`)
    this.cid = cid
  }
}

/** A garbage collection would delete blocks that were never pinned. */
export class NothingPinnedError extends Error {
  static override readonly name = 'NothingPinnedError'
  override readonly name = 'NothingPinnedError'
}

/** A CAR is truncated, or its content does not match its header. */
export class InvalidCarError extends Error {
  static override readonly name = 'InvalidCarError'
  override readonly name = 'InvalidCarError'
}

/** A file or directory cannot be added, or cannot be written to disk. */
export class TreeEntryError extends Error {
  static override readonly name = 'TreeEntryError'
  override readonly name = 'TreeEntryError'
  readonly path: string

  constructor (path: string, reason: string, options?: ErrorOptions) {
    super(`${path}: ${reason}`, options)
    this.path = path
  }
}

/** No peer sent a block within the timeout. */
export class NotFetchedError extends Error {
  static override readonly name = 'NotFetchedError'
  override readonly name = 'NotFetchedError'
  readonly cid: CID
  /** The timeout, in milliseconds. */
  readonly timeout: number
  /** How many providers were found. */
  readonly providers: number

  constructor (cid: CID, timeout: number, providers: number, options?: ErrorOptions) {
    const who = providers === 0
      ? 'no provider was found'
      : `${providers === 1 ? 'the only provider' : `the ${providers} providers`} of its DAG did not send it`

    super(`the block ${cid} did not arrive within ${timeout / 1000} s: ${who}`, options)
    this.cid = cid
    this.timeout = timeout
    this.providers = providers
  }
}

/** A peer cannot be reached, or its address is invalid. */
export class NotConnectedError extends Error {
  static override readonly name = 'NotConnectedError'
  override readonly name = 'NotConnectedError'
  readonly address: string

  constructor (address: string, reason: string, options?: ErrorOptions) {
    super(`Cannot connect to ${address}: ${reason}`, options)
    this.address = address
  }
}

/** The reason of a `NotConnectedError` if the peer did not answer within the timeout. */
export const NO_ANSWER = 'it did not answer in time'

/** A node cannot listen or start. */
export class NodeError extends Error {
  static override readonly name = 'NodeError'
  override readonly name = 'NodeError'
}

/** A daemon already runs on the repo. */
export class DaemonRunningError extends Error {
  static override readonly name = 'DaemonRunningError'
  override readonly name = 'DaemonRunningError'
  readonly pid: number
  readonly host: string
  /** The lock file that it holds. */
  readonly file: string

  constructor (repo: string, { pid, host, path }: LockFile) {
    super(
      `A daemon already runs on the repo ${repo} (process ${pid} on ${host}, which holds ${path}): ` +
        'end it first, or name another repo with --repo'
    )
    this.pid = pid
    this.host = host
    this.file = path
  }
}

/** The daemon of the repo does not run, or its answer is invalid. */
export class DaemonError extends Error {
  static override readonly name = 'DaemonError'
  override readonly name = 'DaemonError'
}

/** A name cannot be published or resolved. */
export class NameError extends Error {
  static override readonly name = 'NameError'
  override readonly name = 'NameError'
}
