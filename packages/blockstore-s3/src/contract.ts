/** Keys of an account. The type that providers of the AWS SDK resolve with. */
export interface S3Credentials {
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string | undefined
  /** When they end. A provider is asked again five minutes before that. */
  expiration?: Date | undefined
}

/** Fetches credentials, as providers of the AWS SDK do: `fromNodeProviderChain()`, `fromSSO()` ... */
export type S3CredentialsProvider = () => Promise<S3Credentials>

/** What a request does. `head` looks at an object or bucket, `create` makes a bucket. */
export type S3Operation = 'create' | 'delete' | 'get' | 'head' | 'list' | 'put'

/** One attempt of one request, when it has ended. */
export interface S3RequestEvent {
  operation: S3Operation
  /** The URL of the endpoint, without the bucket. */
  endpoint: string
  /** Counted from 1. */
  attempt: number
  /** Bytes of the body sent. */
  sent: number
  /** Bytes of the body received. */
  received: number
  milliseconds: number
  /** The status of the answer. Missing if there was none. */
  status?: number
  /** The name of the error, if the attempt failed because of the network. */
  error?: string
}

export interface S3ObjectsInit {
  bucket: string

  /** What all keys begin with. Objects outside of it are never touched. A slash at its end is added. */
  prefix?: string | undefined

  /**
   * URLs such as `http://10.0.0.1:7480`, the preferred one first. If one cannot be reached, the next ones are asked,
   * and it is left alone for half a minute.
   *
   * @default `$AWS_ENDPOINT_URL_S3`, `$AWS_ENDPOINT_URL`, the profile's `endpoint_url`, or AWS
   */
  endpoints?: readonly string[] | undefined

  /** @default `$AWS_REGION`, `$AWS_DEFAULT_REGION`, the profile's `region`, or `us-east-1` */
  region?: string | undefined

  /**
   * Whether the bucket is in the path of URLs, or in the name of the host.
   *
   * @default true, and false for AWS
   */
  pathStyle?: boolean | undefined

  /** @default the environment, a profile, the role of the container, or of the instance, whichever has some first */
  credentials?: S3Credentials | S3CredentialsProvider | undefined

  /** A profile of `~/.aws/credentials` and `~/.aws/config`. @default `$AWS_PROFILE`, or `default` */
  profile?: string | undefined

  /** In milliseconds. @default 3000 */
  connectTimeout?: number | undefined

  /** From the end of a request to the beginning of its answer, in milliseconds. @default 30000 */
  responseTimeout?: number | undefined

  /** How long a transfer may bring fewer than 4 KiB, in milliseconds. @default 10000 */
  progressTimeout?: number | undefined

  /**
   * How often a request is sent in all. With 1, each has a connection of its own: what a kept one that breaks has
   * carried is unknown.
   *
   * @default 6
   */
  attempts?: number | undefined

  /** Connections to one endpoint at a time. @default 32 */
  maxConnections?: number | undefined

  /** The most bytes of an object that `get` reads. @default 67108864 */
  maxObjectSize?: number | undefined

  /** Called when an attempt has ended, for metrics. What it throws is ignored. */
  onRequest?: ((event: S3RequestEvent) => void) | undefined

  /**
   * Called whenever something of an answer arrives: its headers, and each piece of its body. So a store that sends
   * slowly can be told from one that sends nothing. What it throws is ignored.
   */
  onReceived?: ((status: number) => void) | undefined

  /**
   * The signal of each request that begins, besides its own: for a process that is to end although the store keeps
   * silent.
   */
  signal?: (() => AbortSignal) | undefined

  /** The clock that requests are signed with, in milliseconds since 1970. @default Date.now */
  now?: (() => number) | undefined
}

/** An object in a listing, or as `stat` finds it. */
export interface ObjectInfo {
  key: string
  /** In bytes. */
  size: number
  /** By the clock of the store. */
  modified: Date
  /** As `stat` finds it. Most stores give the MD5 of the bytes, in hexadecimal between quotation marks. */
  etag?: string | undefined
}

export interface S3Options {
  signal?: AbortSignal | null | undefined
}

/**
 * Until when the store carries out a request, by its own clock: it refuses one that comes later, whatever delayed it.
 * Made by `S3Objects.validFor`.
 */
export interface S3Validity {
  /** From when on, by the clock of an endpoint. */
  from: (endpoint: string) => Date
  /** For so many seconds. */
  seconds: number
}

export interface DeleteOptions extends S3Options {
  /** @default as long as the store takes signatures, 15 minutes or more */
  validity?: S3Validity | undefined
}

/** A part of an object. What is behind its end is left out. */
export interface RangeOptions {
  /** The first byte. @default 0 */
  offset?: number | undefined
  /** @default all that follow */
  length?: number | undefined
}

export interface ListOptions<T> extends S3Options {
  /** List what comes behind this one. @default from the first */
  after?: T | undefined
}
