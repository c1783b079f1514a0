/**
 * What is wrong with arguments. `not-regular`: a path to write to is a device, a pipe or a socket. `needs-name`: the
 * base `latest` needs a name. `one-name`: several sources have one name. `no-eviction`: there is no session to evict.
 * `no-session`: none has the id. `no-host-name`, `no-proxy`: a text is none. `nobody-to-fetch-from`: there is no
 * network.
 */
export type UsageProblem =
  | 'needs-name'
  | 'no-eviction'
  | 'no-host-name'
  | 'no-proxy'
  | 'no-session'
  | 'nobody-to-fetch-from'
  | 'not-regular'
  | 'one-name'

/** Thrown when the arguments or options are invalid. */
export class UsageError extends Error {
  static override readonly name = 'UsageError'
  override readonly name = 'UsageError'
  readonly problem: UsageProblem | undefined

  constructor (message: string, { problem, ...options }: ErrorOptions & { problem?: UsageProblem } = {}) {
    super(message, options)
    this.problem = problem
  }
}

/** What is wrong with a repo that cannot be opened or created as asked for. */
export type RepoProblem = 'missing' | 'no-home' | 'other-codec' | 'other-store' | 'own-content' | 'shared'

const REPO_HINTS: Readonly<Record<RepoProblem, string>> = {
  missing: 'create it by adding something, or open another directory',
  'no-home': 'pass the path of the repo',
  'other-codec': 'convert its blocks, or create another repo',
  'other-store': 'create another repo, or delete store.json in this one to leave that store',
  'own-content': 'create another repo',
  shared: 'omit the codec'
}

/** Thrown when the repo cannot be opened, or this version cannot read it. */
export class RepoError extends Error {
  static override readonly name = 'RepoError'
  override readonly name = 'RepoError'
  /** `missing`: there is no repo in the directory. `no-home`: there is no directory for it. Others: see the message. */
  readonly problem: RepoProblem | undefined
  /** What a caller can do next. */
  readonly hint: string | undefined

  constructor (message: string, { problem, ...options }: ErrorOptions & { problem?: RepoProblem } = {}) {
    super(message, options)
    this.problem = problem
    this.hint = problem == null ? undefined : REPO_HINTS[problem]
  }
}

/** Thrown when the store that a repo shares with other nodes fails, or is not a store. */
export class StoreError extends Error {
  static override readonly name = 'StoreError'
  override readonly name = 'StoreError'
}

/** Thrown when the store of a repo is missing, for example because its file system is not mounted. */
export class StoreMissingError extends Error {
  static override readonly name = 'StoreMissingError'
  override readonly name = 'StoreMissingError'
  readonly store: string

  /** @param options.other - whether another store is there */
  constructor (store: string, { other = false, ...options }: ErrorOptions & { other?: boolean } = {}) {
    super(
      other
        ? `${store} contains another store than the one of this repo: mount the right one there, or join this one ` +
          `with ipfsz init --store "${store}"`
        : `The store ${store} was not found: mount it and try again. Nothing was written there`,
      options
    )
    this.store = store
  }
}

/** Thrown when a garbage collection considered this process dead, and may have deleted blocks that it relied on. */
export class SessionLostError extends Error {
  static override readonly name = 'SessionLostError'
  override readonly name = 'SessionLostError'
  /** The object of the session, which is gone. */
  readonly key: string

  constructor (key: string, options?: ErrorOptions) {
    super(
      `A garbage collection considered this process dead (${key} is gone from the store) and may have deleted ` +
        'blocks that it relied on: run the command again to store what is missing',
      options
    )
    this.key = key
  }
}

/** Thrown when a process renews its lease but does not answer a garbage collection, which then cannot continue. */
export class SilentSessionError extends Error {
  static override readonly name = 'SilentSessionError'
  override readonly name = 'SilentSessionError'
  /** The ID of its session. */
  readonly session: string
  /** The command, host and process. */
  readonly owner: string
  /** How long the collection waited, in milliseconds. */
  readonly time: number

  /** @param init.since - its start time, by the clock of the store */
  constructor (
    session: string,
    { owner, since, time, others }: { owner: string, since: Date | undefined, time: number, others: number }
  ) {
    const begun = since == null ? '' : `, started at ${since.toISOString()}`

    super(
      `The garbage collection waited ${Math.round(time / 60_000)} minutes for ${owner}${begun}` +
        `${others === 0 ? '' : `, and ${others} more`}` +
        ': it is alive, but does not report which blocks it needs. Nothing was deleted. ' +
        `End that process, or make it fail with ipfsz gc --evict ${session}`
    )
    this.session = session
    this.owner = owner
    this.time = time
  }
}

/** Thrown when another garbage collection runs on the same store. */
export class CollectionRunningError extends Error {
  static override readonly name = 'CollectionRunningError'
  override readonly name = 'CollectionRunningError'
  /** The command, host and process that run it. */
  readonly owner: string

  constructor (owner: string) {
    super(`Another garbage collection is running on the store: ${owner}. Wait until it ends`)
    this.owner = owner
  }
}

/** Thrown when other nodes considered a garbage collection dead. It has deleted nothing since. */
export class CollectionLostError extends Error {
  static override readonly name = 'CollectionLostError'
  override readonly name = 'CollectionLostError'
  /** The object of its round. */
  readonly key: string

  constructor (key: string, options?: ErrorOptions) {
    super(
      `The garbage collection stalled for so long that other nodes considered it dead (${key} is fenced or gone), ` +
        'so it stopped. Run ipfsz gc again',
      options
    )
    this.key = key
  }
}

/** Thrown at once while the shared store does not answer, so that callers do not wait for it. */
export class StoreAwayError extends Error {
  static override readonly name = 'StoreAwayError'
  override readonly name = 'StoreAwayError'
  readonly store: string

  constructor (store: string, reason: string, options?: ErrorOptions) {
    super(`The store ${store} is unavailable: ${reason}`, options)
    this.store = store
  }
}

/** Thrown when an object of a shared store is damaged, or does not match its key. */
export class StoreObjectError extends Error {
  static override readonly name = 'StoreObjectError'
  override readonly name = 'StoreObjectError'
  readonly key: string

  constructor (key: string, reason: string, options?: ErrorOptions) {
    super(`Cannot use the object ${key} of the store: ${reason}`, options)
    this.key = key
  }
}
