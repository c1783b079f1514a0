import { NamedError } from '@ipfsz/utils/named-error'
import type { S3Operation } from './contract.ts'

export { DeleteFailedError, GetFailedError, HasFailedError, NotFoundError, OpenFailedError, PutFailedError }
  from 'interface-store'

/** What a request was about. */
export interface S3Subject {
  operation: S3Operation
  bucket: string
  /** With the prefix. Missing if the request is about the bucket. */
  key?: string | undefined
  /** The endpoint that was asked last. */
  endpoint: string
  /** How often the request was sent. */
  attempts: number
}

/** The start of a message: `Could not get s3://bucket/key`, or `Could not delete objects of s3://bucket`. */
function describe ({ operation, bucket, key }: S3Subject): string {
  const what = operation === 'delete' && key == null ? 'objects of ' : ''

  return `Could not ${operation} ${what}s3://${bucket}${key == null ? '' : `/${key}`}`
}

function times ({ attempts }: S3Subject): string {
  return attempts === 1 ? '' : ` (${attempts} attempts)`
}

/** Thrown when the store answered a request with an error. */
export class S3ResponseError extends NamedError {
  static override readonly name = 'S3ResponseError'
  readonly from = 'store'
  readonly subject: S3Subject
  /** The HTTP status. */
  readonly status: number
  /** The error code of S3, such as `AccessDenied`. Derived from the status if the response has none, as for HEAD. */
  readonly code: string

  constructor (subject: S3Subject, status: number, code: string, detail: string) {
    super(`${describe(subject)}: the store at ${subject.endpoint} answered ${status} ${code}${
      detail === '' ? '' : `: ${detail}`}${times(subject)}`)
    this.subject = subject
    this.status = status
    this.code = code
  }
}

/** What a request was doing when the network failed. */
export type S3Phase = 'connect' | 'send' | 'response' | 'body'

/** Thrown when no endpoint could be reached, or none answered completely in time. */
export class S3NetworkError extends NamedError {
  static override readonly name = 'S3NetworkError'
  readonly from = 'network'
  readonly subject: S3Subject
  readonly phase: S3Phase

  constructor (subject: S3Subject, phase: S3Phase, detail: string, cause?: unknown) {
    super(`${describe(subject)}: no response from ${subject.endpoint}: ${detail}${times(subject)}`, {
      cause
    })
    this.subject = subject
    this.phase = phase
  }
}

/** Thrown when an object does not match the checksum that the store sends, even after retries. */
export class S3DamagedObjectError extends NamedError {
  static override readonly name = 'S3DamagedObjectError'
  readonly from = 'store'
  readonly subject: S3Subject
  /** The error code of a file system for a wrong checksum, so that code that repairs files repairs objects too. */
  readonly code = 'EBADMSG'

  constructor (subject: S3Subject) {
    super(`${describe(subject)}: the object is damaged: its bytes do not match the checksum that the store at ` +
      `${subject.endpoint} sends${times(subject)}`)
    this.subject = subject
  }
}

/** Thrown when the store rejects requests because of their time, even if they are signed with the time of the store. */
export class S3ClockSkewError extends NamedError {
  static override readonly name = 'S3ClockSkewError'
  readonly from = 'store'
  readonly subject: S3Subject
  /** How far the store's clock is ahead of this machine's, in milliseconds. Undefined if unknown. */
  readonly skew: number | undefined

  constructor (subject: S3Subject, skew: number | undefined) {
    super(`${describe(subject)}: the clocks of this machine and of the store at ${subject.endpoint} differ by ${
      skew == null ? 'too much' : `${Math.round(Math.abs(skew) / 1000)} s`}. Correct the one that is wrong`)
    this.subject = subject
    this.skew = skew
  }
}

/** Thrown when there are no credentials, or they could not be fetched. */
export class S3CredentialsError extends NamedError {
  static override readonly name = 'S3CredentialsError'
}

/** Thrown when an object exceeds `maxObjectSize`, or a response its maximum size. */
export class S3ObjectTooLargeError extends NamedError {
  static override readonly name = 'S3ObjectTooLargeError'
  readonly subject: S3Subject
  /** In bytes. */
  readonly max: number

  constructor (subject: S3Subject, max: number) {
    super(`${describe(subject)}: the response exceeds the limit of ${max} bytes`)
    this.subject = subject
    this.max = max
  }
}

/** Thrown when the URL of a store, a bucket name or an option is invalid. */
export class S3UrlError extends NamedError {
  static override readonly name = 'S3UrlError'
}

/** Thrown for a key that S3 does not support, or that would change in a URL. */
export class S3KeyError extends NamedError {
  static override readonly name = 'S3KeyError'
}
