// Above 250 lines: every error of a node is in this file, one class per failure that a caller can handle.
import { NamedError } from '@ipfsz/utils/named-error'
import { hideSecrets } from '@ipfsz/utils/hide-secrets'
import { messageOf } from '@ipfsz/utils/message-of'
import { describeHolder } from './lock-file.ts'
import type { LockFile } from './lock-file.ts'
import type { CID } from 'multiformats/cid'

export * from '@ipfsz/shared-store/errors'

/** Thrown for a relative path when the working directory was deleted. */
export class WorkingDirectoryError extends NamedError {
  static override readonly name = 'WorkingDirectoryError'

  constructor (options?: ErrorOptions) {
    super('The working directory was deleted: change to another one with cd, or use absolute paths', options)
  }
}

/** Thrown when part of the work failed. The single errors have already been printed. */
export class IncompleteError extends NamedError {
  static override readonly name = 'IncompleteError'
  /** Whether blocks of the repo are missing or damaged. */
  readonly lost: boolean

  constructor (message: string, { lost = false, ...options }: ErrorOptions & { lost?: boolean } = {}) {
    super(message, options)
    this.lost = lost
  }
}

/** Thrown when a worker thread failed, or ended: for lack of memory, for example. Its error is the `cause`. */
export class ThreadFailedError extends NamedError {
  static override readonly name = 'ThreadFailedError'

  constructor (options: { cause: unknown }) {
    super(`A worker thread failed: ${messageOf(options.cause)}`, options)
  }
}

/** Thrown when two files or directories differ. The differences have already been printed; the error is not. */
export class DifferentError extends NamedError {
  static override readonly name = 'DifferentError'
  /** How many differences there are. */
  readonly differences: number

  constructor (differences: number) {
    super(`${differences} differences`)
    this.differences = differences
  }
}

/** Thrown when other processes that add, collect garbage, convert blocks or use links hold a lock for too long. */
export class RepoLockedError extends NamedError {
  static override readonly name = 'RepoLockedError'
  /** The process that holds the lock, and its host. Undefined for the lock of the links, which does not tell. */
  readonly pid: number | undefined
  readonly host: string | undefined
  /** The lock file that it holds. */
  readonly file: string

  constructor (
    repo: string,
    { kind, pid, host, path }: Pick<LockFile, 'kind' | 'path'> & Partial<LockFile>,
    options?: ErrorOptions
  ) {
    const holder = describeHolder({ kind, pid, host })
    super(`The repo ${repo} is in use: ${holder}, and holds ${path}. Wait until it ends, and try again`, options)
    this.pid = pid
    this.host = host
    this.file = path
  }
}

/** Thrown when an addon that the work needs is not installed, or not for this platform. */
export class MissingAddonError extends NamedError {
  static override readonly name = 'MissingAddonError'
  /** The package. */
  readonly addon: string

  constructor (addon: string, options: { cause: unknown }) {
    // the first line: the others list the modules that require it
    const [reason] = messageOf(options.cause).split('\n')

    super(`The addon ${addon} failed to load: ${reason}. Reinstall ipfsz with its optional dependencies`, options)
    this.addon = addon
  }
}

/** Thrown when the links of a repo cannot be opened. */
export class LinksError extends NamedError {
  static override readonly name = 'LinksError'
}

/** Thrown when a block of a DAG is missing or damaged. `cause` identifies the block. */
export class DamagedDagError extends NamedError {
  static override readonly name = 'DamagedDagError'
  readonly root: CID

  constructor (root: CID, cause: unknown) {
    super(`${root} is not complete: ${messageOf(cause)}`, { cause })
    this.root = root
  }
}

/** Thrown when a CID is not pinned. */
export class NotPinnedError extends NamedError {
  static override readonly name = 'NotPinnedError'
  readonly cid: CID
  /** What a caller can do next. */
  readonly hint = 'list the pins: another version may be pinned'

  constructor (cid: CID) {
    super(`${cid} is not pinned`)
    this.cid = cid
  }
}

/** Thrown when a name has no history, because nothing was added under it with the base `latest`. */
export class NoHistoryError extends NamedError {
  static override readonly name = 'NoHistoryError'
  /** The name. */
  readonly history: string

  constructor (history: string) {
    super(`"${history}" has no history`)
    this.history = history
  }
}

/** Thrown when a pin record is damaged, cannot be read, or is not a pin record at all. */
export class PinRecordError extends NamedError {
  static override readonly name = 'PinRecordError'
  readonly file: string
  /** The pinned CID, if it can be read from the name of the file. */
  readonly cid: CID | undefined
  /** What a caller can do next. */
  readonly hint: string

  constructor (file: string, cid: CID | undefined, cause: unknown) {
    super(`Cannot read the pin record ${file} (${messageOf(cause)})`, { cause })
    this.file = file
    this.cid = cid
    this.hint = cid == null ? 'ipfsz did not write this file: move or delete it' : 'pin the CID again, or unpin it'
  }
}

/** Thrown when a CID has no link. */
export class NotLinkedError extends NamedError {
  static override readonly name = 'NotLinkedError'
  readonly cid: CID

  constructor (cid: CID) {
    super(`${cid} is not linked`)
    this.cid = cid
  }
}

/** Thrown when the file with the settings of a repo is damaged, or a setting is unknown or wrong. */
export class ConfigError extends NamedError {
  static override readonly name = 'ConfigError'
  readonly file: string
  /** The setting. Undefined if the whole file is damaged. */
  readonly key: string | undefined
  /** What a caller can do next. */
  readonly hint = 'mend the file, or delete it'

  constructor (file: string, key: string | undefined, reason: string, options?: ErrorOptions) {
    super(
      key == null
        ? `Cannot use the settings of ${file}: ${reason}`
        : `Cannot use the setting ${key} of ${file}: ${reason}`,
      options
    )
    this.file = file
    this.key = key
  }
}

/** Thrown when a garbage collection would delete blocks that were never pinned. */
export class NothingPinnedError extends NamedError {
  static override readonly name = 'NothingPinnedError'
  /** `nothing-pinned`: there are no pins. `no-pins-yet`: the repo was made by a version that pinned nothing. */
  readonly problem: 'nothing-pinned' | 'no-pins-yet'
  /** What a caller can do next. */
  readonly hint = 'pin what you want to keep, then delete the rest with force'

  constructor (message: string, { problem }: { problem: 'nothing-pinned' | 'no-pins-yet' }) {
    super(message)
    this.problem = problem
  }
}

/** Thrown when a CAR is truncated, or its content does not match its header. */
export class InvalidCarError extends NamedError {
  static override readonly name = 'InvalidCarError'
}

/**
 * `exists`: a file has the path, and may be replaced. `in-the-way`: something has it that is never replaced.
 * `is-directory`: a directory has it. `leads-out`: a symlink may lead outside of what is written.
 *
 * Of an entry to add, `bad-name`: it has a name that cannot be stored. `bad-target`: it is a symlink with such a
 * target. `not-addable`: it is no file, directory or symlink.
 */
export type PathProblem =
  | 'bad-name'
  | 'bad-target'
  | 'exists'
  | 'in-the-way'
  | 'is-directory'
  | 'leads-out'
  | 'not-addable'

const PATH_HINTS: Readonly<Record<PathProblem, string>> = {
  'bad-name': 'rename it, or ignore it',
  'bad-target': 'recreate it, or ignore it',
  exists: 'allow to replace it with force, or choose another path',
  'in-the-way': 'choose another path',
  'is-directory': 'end the path in a slash to write into the directory',
  'leads-out': 'allow symlinks to write it',
  'not-addable': 'ignore it'
}

/** Thrown when a file or directory cannot be added, or cannot be written to disk. */
export class TreeEntryError extends NamedError {
  static override readonly name = 'TreeEntryError'
  readonly path: string
  /** What is wrong with a path to write to, or with an entry to add. */
  readonly problem: PathProblem | undefined
  /** What a caller can do next. */
  readonly hint: string | undefined

  constructor (path: string, reason: string, { problem, ...options }: ErrorOptions & { problem?: PathProblem } = {}) {
    super(`${path}: ${reason}`, options)
    this.path = path
    this.problem = problem
    this.hint = problem == null ? undefined : PATH_HINTS[problem]
  }
}

/** Thrown when a file or tree is larger than `maxSize` or `maxFiles` allows. */
export class OutputTooLargeError extends NamedError {
  static override readonly name = 'OutputTooLargeError'
  readonly path: string
  readonly limit: 'size' | 'files'
  /** In bytes, or in files, directories and symlinks together. */
  readonly allowed: number
  /** What a caller can do next. */
  readonly hint = 'raise the limit to write it anyway'

  /** @param reason - the size found and the size allowed, for the message */
  constructor (path: string, limit: OutputTooLargeError['limit'], allowed: number, reason: string) {
    super(`${path}: ${reason}`)
    this.path = path
    this.limit = limit
    this.allowed = allowed
  }
}

/** Thrown when the disk has too little room for a file or tree. */
export class NoRoomError extends NamedError {
  static override readonly name = 'NoRoomError'
  readonly path: string
  readonly limit: 'size' | 'files'
  /** In bytes, or in files, directories and symlinks together. */
  readonly needed: number
  readonly free: number
  /** What a caller can do next. */
  readonly hint = 'free some space, for example with a collection, or write to another disk'

  /** @param reason - the room needed and the room left, for the message */
  constructor (path: string, reason: string, { limit, needed, free }: Pick<NoRoomError, 'free' | 'limit' | 'needed'>) {
    super(`${path}: ${reason}`)
    this.path = path
    this.limit = limit
    this.needed = needed
    this.free = free
  }
}

/** Thrown when a peer cannot be reached, or its address is invalid. */
export class NotConnectedError extends NamedError {
  static override readonly name = 'NotConnectedError'
  readonly address: string

  constructor (given: string, reason: string, options?: ErrorOptions) {
    const address = hideSecrets(given)
    super(`Cannot connect to ${address}: ${reason}`, options)
    this.address = address
  }
}

/** The reason in a `NotConnectedError` when the peer did not answer within the timeout. */
export const NO_ANSWER = 'it did not answer in time'

/** Thrown when a URL from another node points to this machine, or into a private network. */
export class PrivateAddressError extends NamedError {
  static override readonly name = 'PrivateAddressError'
  /** As in the URL. */
  readonly host: string
  readonly address: string
  /** What a caller can do next. */
  readonly hint = 'allow local addresses to fetch from it'

  constructor (host: string, address: string) {
    super(`${host} has the address ${address}, which is not public`)
    this.host = host
    this.address = address
  }
}

/** Thrown when a delegated router lists no gateway. */
export class RouterError extends NamedError {
  static override readonly name = 'RouterError'
  /** Its URL. */
  readonly router: string

  constructor (router: string, reason: string, options?: ErrorOptions) {
    super(`the router ${router} ${reason}`, options)
    this.router = router
  }
}

/** Thrown when a node cannot listen or start. */
export class NodeError extends NamedError {
  static override readonly name = 'NodeError'
}

/** Why a server cannot listen, and what to do, by the error code of the system. */
const LISTEN_REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program uses this port. Choose another one (0 picks a free one)',
  EADDRNOTAVAIL: 'this machine does not have that address. Use one of its own',
  EACCES: 'permission denied. Choose a port above 1023',
  ENOTFOUND: 'no such host. Use an IP address'
}

/** Thrown when a server cannot listen on an address. */
export class ListenError extends NamedError {
  static override readonly name = 'ListenError'
  /** As in `127.0.0.1:8080`. */
  readonly address: string
  /** The error code of the system, such as EADDRINUSE. */
  readonly code: string

  /** @param cause - of the system */
  constructor (address: string, cause: NodeJS.ErrnoException) {
    const { code = '', message } = cause

    super(`Cannot listen on ${address}: ${LISTEN_REASONS[code] ?? message}`, { cause })
    this.address = address
    this.code = code
  }
}

/** Thrown when a daemon is already running on the repo. */
export class DaemonRunningError extends NamedError {
  static override readonly name = 'DaemonRunningError'
  readonly pid: number
  readonly host: string
  /** The lock file that it holds. */
  readonly file: string
  /** What a caller can do next. */
  readonly hint = 'stop it first, or use another repo'

  constructor (repo: string, { pid, host, path }: LockFile) {
    super(`A daemon is already running on the repo ${repo} (process ${pid} on ${host}, which holds ${path})`)
    this.pid = pid
    this.host = host
    this.file = path
  }
}

/**
 * `no-answer`: the daemon does not answer, or not as expected. `no-id`: none has ever run. `no-network`: none runs, and
 * no other node may be asked. `not-running`: none runs.
 */
export type DaemonProblem = 'no-answer' | 'no-id' | 'no-network' | 'not-running'

const DAEMON_HINTS: Readonly<Record<DaemonProblem, string>> = {
  'no-answer': 'restart it',
  'no-id': 'run a daemon once to create it',
  'no-network': 'start a daemon, or name a peer',
  'not-running': 'start one'
}

/** Thrown when the daemon of the repo is not running, or its response is invalid. */
export class DaemonError extends NamedError {
  static override readonly name = 'DaemonError'
  /** Undefined for an error of the daemon itself, which is the `cause`. */
  readonly problem: DaemonProblem | undefined
  /** What a caller can do next. */
  readonly hint: string | undefined

  constructor (message: string, { problem, ...options }: ErrorOptions & { problem?: DaemonProblem } = {}) {
    super(message, options)
    this.problem = problem
    this.hint = problem == null ? undefined : DAEMON_HINTS[problem]
  }
}

/**
 * `no-record`: nobody has a record of it. `not-a-name`: a text is none. `not-stored`: no peer stored its record.
 * `offline`: no other node could be asked. `timeout`: nobody answered in time.
 */
export type NameReason = 'no-record' | 'not-a-name' | 'not-stored' | 'offline' | 'timeout'

const NAME_HINTS: Readonly<Record<NameReason, string>> = {
  'no-record': 'ask its owner to publish it again',
  'not-a-name': 'publishing one returns it: k51...',
  'not-stored': 'check the connected peers',
  offline: 'start a daemon on the repo, or open it with a network of peers or gateways',
  timeout: 'allow more time'
}

export const NAME_REASONS = Object.keys(NAME_HINTS) as readonly NameReason[]

/** Thrown when a name cannot be published or resolved. */
export class NameError extends NamedError {
  static override readonly name = 'NameError'
  readonly reason: NameReason | undefined
  /** What a caller can do next. */
  readonly hint: string | undefined

  constructor (message: string, { reason, ...options }: ErrorOptions & { reason?: NameReason | undefined } = {}) {
    super(message, options)
    this.reason = reason
    this.hint = reason == null ? undefined : NAME_HINTS[reason]
  }
}
