import { messageOf } from '@ipfsz/utils/message-of'
import { REFRESH_AHEAD } from '../constants.ts'
import { S3CredentialsError } from '../errors.ts'
import type { S3Credentials, S3CredentialsProvider } from '../contract.ts'

// oxlint-disable-next-line eslint/no-control-regex
const NOT_IN_HEADER = /[\s\u0000-\u001F\u007F]/

/** The credentials of a provider, until shortly before they expire. */
export class KeptCredentials {
  readonly #provider: S3CredentialsProvider
  readonly #now: () => number
  #kept: S3Credentials | undefined
  #fetching: Promise<S3Credentials> | undefined

  constructor (provider: S3CredentialsProvider, now: () => number) {
    this.#provider = provider
    this.#now = now
  }

  /** @throws {S3CredentialsError} there are none, or those that there were have expired */
  async get (): Promise<S3Credentials> {
    const left = this.#left()

    if (this.#kept != null && left > REFRESH_AHEAD) {
      return this.#kept
    }

    this.#fetching ??= this.#fetch().finally(() => { this.#fetching = undefined })

    try {
      return await this.#fetching
    } catch (err) {
      // they are good for a few minutes yet
      if (this.#kept != null && left > 0) {
        return this.#kept
      }

      throw err
    }
  }

  /** The store refused them: fetch others next time. */
  drop (credentials: S3Credentials): void {
    if (this.#kept === credentials) {
      this.#kept = undefined
    }
  }

  /**
   * The store refused them. Keys may have been replaced since they were read: a profile is a file, which a daemon that
   * runs for months must not read once.
   *
   * @returns whether there are others
   */
  async replace (refused: S3Credentials): Promise<boolean> {
    if (this.#kept === refused) {
      this.#fetching ??= this.#fetch().finally(() => { this.#fetching = undefined })
      await this.#fetching.catch(() => {})
    }

    return this.#kept != null && !isEqual(this.#kept, refused)
  }

  /** How long those that are kept are good, in milliseconds. */
  #left (): number {
    const expiration = this.#kept?.expiration?.getTime()

    return expiration == null ? Infinity : expiration - this.#now()
  }

  async #fetch (): Promise<S3Credentials> {
    let credentials: S3Credentials

    try {
      credentials = await this.#provider()
    } catch (cause) {
      throw cause instanceof S3CredentialsError
        ? cause
        : new S3CredentialsError(`The credentials could not be fetched: ${messageOf(cause)}`, { cause })
    }

    this.#kept = checkCredentials(credentials)

    return this.#kept
  }
}

function isEqual (a: S3Credentials, b: S3Credentials): boolean {
  return a.accessKeyId === b.accessKeyId && a.secretAccessKey === b.secretAccessKey &&
    a.sessionToken === b.sessionToken
}

/** Never names a value. */
function checkCredentials (credentials: S3Credentials): S3Credentials {
  const { accessKeyId, secretAccessKey, sessionToken = '' } = credentials

  if (typeof accessKeyId !== 'string' || accessKeyId === '' || typeof secretAccessKey !== 'string' ||
    secretAccessKey === '') {
    throw new S3CredentialsError('The credentials have no access key, or no secret key')
  }

  if ([accessKeyId, secretAccessKey, sessionToken].some(value => NOT_IN_HEADER.test(value))) {
    throw new S3CredentialsError('The credentials contain white space: check for a line break at the end')
  }

  return credentials
}
