import { NamedError } from '@ipfsz/utils/named-error'

/**
 * What is wrong with arguments. `not-regular`: a path to write to is a device, a pipe or a socket. `needs-name`: the
 * base `latest` needs a name. `one-name`: several sources have one name. `no-eviction`: there is no session to evict.
 * `no-session`: none has the id. `no-host-name`, `no-proxy`: a text is none. `nobody-to-fetch-from`: there is no
 * network. `not-a-cid`: a text does not begin with one. `from-kubo`, `to-kubo`: a place is the repo of Kubo, which is
 * not copied. `is-store`: it is a shared store. `packs-compress`: packs take no codec. `keeps-none`: no rule keeps any
 * version of a history.
 */
export type UsageProblem =
  | 'from-kubo'
  | 'is-store'
  | 'keeps-none'
  | 'needs-name'
  | 'no-eviction'
  | 'no-host-name'
  | 'no-proxy'
  | 'no-session'
  | 'nobody-to-fetch-from'
  | 'not-a-cid'
  | 'not-regular'
  | 'one-name'
  | 'packs-compress'
  | 'to-kubo'

const USAGE_HINTS: Readonly<Partial<Record<UsageProblem, string>>> = {
  'from-kubo': 'start Kubo, and import from it, or export CARs from it',
  'is-store': 'use the repo of a node that shares it, or create one',
  'keeps-none': 'keep at least one version',
  'nobody-to-fetch-from': 'start a daemon, or name a peer, a gateway or a router',
  'not-a-cid': 'use a CID, or /ipns/NAME',
  'packs-compress': 'omit the codec, or keep blocks as files',
  'to-kubo': 'import CARs into it'
}

/** Thrown when the arguments or options are invalid. */
export class UsageError extends NamedError {
  static override readonly name = 'UsageError'
  readonly problem: UsageProblem | undefined
  /** The directory or bucket that the problem is about. */
  readonly place: string | undefined
  /** What a caller can do next. */
  readonly hint: string | undefined

  constructor (
    message: string,
    { problem, place, ...options }: ErrorOptions & { problem?: UsageProblem, place?: string } = {}
  ) {
    super(message, options)
    this.problem = problem
    this.place = place
    this.hint = problem == null ? undefined : USAGE_HINTS[problem]
  }
}

/** What is wrong with a repo that cannot be opened or created as asked for. */
export type RepoProblem =
  | 'bad-reference'
  | 'damaged-history'
  | 'is-store'
  | 'missing'
  | 'no-cache'
  | 'no-home'
  | 'not-a-directory'
  | 'replaced'
  | 'other-codec'
  | 'other-index'
  | 'other-layout'
  | 'other-store'
  | 'own-content'
  | 'read-only'
  | 'shared'
  | 'unsafe-directory'

const REPO_HINTS: Readonly<Record<RepoProblem, string>> = {
  'bad-reference': 'delete the file, then join the store again',
  'damaged-history':
    'delete its file in the directory datastore of the repo or its object in the store, or forget the history',
  'is-store': 'create a repo that shares it',
  'no-cache': 'make the repo writable, or disable the cache',
  'not-a-directory': 'use another path',
  replaced: 'use a directory that no other user can rename',
  'other-index': 'use the ipfsz that created it, or delete the file and index the originals again',
  'other-layout': 'convert its blocks, or create another repo',
  'read-only': 'make it writable, or use another repo',
  missing: 'create it by adding something, or open another directory',
  'no-home': 'pass the path of the repo',
  'other-codec': 'convert its blocks, or create another repo',
  'other-store': 'create another repo, or delete store.json in this one to leave that store',
  'own-content': 'create another repo',
  shared: 'omit the codec and the layout',
  'unsafe-directory':
    'run as the owner, use a directory that only you can write to, or allow it with IPFSZ_SAFE_DIRECTORY'
}

/** Thrown when the repo cannot be opened, or this version cannot read it. */
export class RepoError extends NamedError {
  static override readonly name = 'RepoError'
  /** `missing`: there is no repo in the directory. `no-home`: there is no directory for it. Others: see the message. */
  readonly problem: RepoProblem | undefined
  /** The directory, if the problem is about another one than that of the repo. */
  readonly place: string | undefined
  /** What a caller can do next. */
  readonly hint: string | undefined

  constructor (
    message: string,
    { problem, place, ...options }: ErrorOptions & { problem?: RepoProblem, place?: string } = {}
  ) {
    super(message, options)
    this.problem = problem
    this.place = place
    this.hint = problem == null ? undefined : REPO_HINTS[problem]
  }
}

/**
 * `full`: its disk is. `older`: each block is an object, so nothing can be added. `in-use`: nodes use it, and it cannot
 * be converted. `converting`: its blocks are being moved into packs.
 */
export type StoreProblem = 'full' | 'older' | 'in-use' | 'converting'

const STORE_HINTS: Readonly<Record<StoreProblem, string>> = {
  full: 'collect garbage, or free space otherwise, and try again',
  older: 'convert it into packs',
  'in-use': 'stop them, or wait until they have ended, and try again',
  converting: 'wait, or if the conversion was interrupted, convert again'
}

/** Thrown when the store that a repo shares with other nodes fails, or is not a store. */
export class StoreError extends NamedError {
  static override readonly name = 'StoreError'
  readonly problem: StoreProblem | undefined
  /** What a caller can do next. */
  readonly hint: string | undefined

  constructor (message: string, { problem, ...options }: ErrorOptions & { problem?: StoreProblem } = {}) {
    super(message, options)
    this.problem = problem
    this.hint = problem == null ? undefined : STORE_HINTS[problem]
  }
}

/** Thrown when the store of a repo is missing, for example because its file system is not mounted. */
export class StoreMissingError extends NamedError {
  static override readonly name = 'StoreMissingError'
  readonly store: string
  /** `other-store`: another store is there. */
  readonly problem: 'other-store' | undefined
  /** What a caller can do next. */
  readonly hint: string | undefined

  /** `other`: whether another store is there. */
  constructor (store: string, { other = false, ...options }: ErrorOptions & { other?: boolean } = {}) {
    super(
      other
        ? `${store} contains a different store than the one that this repo uses`
        : `The store ${store} was not found: mount it and try again. Nothing was written there`,
      options
    )
    this.store = store
    this.problem = other ? 'other-store' : undefined
    this.hint = other ? 'mount the right one there, or join this one' : undefined
  }
}

/** Thrown when a garbage collection considered this process dead, and may have deleted blocks that it relied on. */
export class SessionLostError extends NamedError {
  static override readonly name = 'SessionLostError'
  /** The object of the session, which is gone. */
  readonly key: string
  /** What a caller can do next. */
  readonly hint = 'add again, to store what is missing'

  constructor (key: string, options?: ErrorOptions) {
    super(
      `A garbage collection considered this process dead (${key} is gone from the store) and may have deleted ` +
        'blocks that it relied on',
      options
    )
    this.key = key
  }
}

/** Thrown when a process renews its lease but does not answer a garbage collection, which then cannot continue. */
export class SilentSessionError extends NamedError {
  static override readonly name = 'SilentSessionError'
  /** The ID of its session. */
  readonly session: string
  /** The command, host and process. */
  readonly owner: string
  /** How long the collection waited, in milliseconds. */
  readonly time: number
  /** What a caller can do next. */
  readonly hint = 'end that process, or evict its session'

  /** `since`: its start time, by the clock of the store. */
  constructor (
    session: string,
    { owner, since, time, others }: { owner: string, since: Date | undefined, time: number, others: number }
  ) {
    const begun = since == null ? '' : `, started at ${since.toISOString()}`

    super(
      `The garbage collection waited ${Math.round(time / 60_000)} minutes for ${owner}${begun}` +
        `${others === 0 ? '' : `, and ${others} more`}` +
        ': it is alive, but does not report which blocks it needs. Nothing was deleted'
    )
    this.session = session
    this.owner = owner
    this.time = time
  }
}

/** Thrown when another garbage collection runs on the same store. */
export class CollectionRunningError extends NamedError {
  static override readonly name = 'CollectionRunningError'
  /** The command, host and process that run it. */
  readonly owner: string

  constructor (owner: string) {
    super(`Another garbage collection is running on the store: ${owner}. Wait until it ends`)
    this.owner = owner
  }
}

/** Thrown when other nodes considered a garbage collection dead. It has deleted nothing since. */
export class CollectionLostError extends NamedError {
  static override readonly name = 'CollectionLostError'
  /** The object of the round that it did not complete. */
  readonly key: string
  /** What a caller can do next. */
  readonly hint = 'collect again'

  constructor (key: string, options?: ErrorOptions) {
    super(
      'The garbage collection stalled for so long that other nodes considered it dead, so it stopped',
      options
    )
    this.key = key
  }
}

/** Thrown at once while the shared store does not answer, so that callers do not wait for it. */
export class StoreAwayError extends NamedError {
  static override readonly name = 'StoreAwayError'
  readonly store: string

  constructor (store: string, reason: string, options?: ErrorOptions) {
    super(`The store ${store} is unavailable: ${reason}`, options)
    this.store = store
  }
}

/** Thrown when an object of a shared store is damaged, or does not match its key. */
export class StoreObjectError extends NamedError {
  static override readonly name = 'StoreObjectError'
  readonly key: string

  constructor (key: string, reason: string, options?: ErrorOptions) {
    super(`Cannot use the object ${key} of the store: ${reason}`, options)
    this.key = key
  }
}
