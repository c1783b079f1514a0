/** Keys of an account. The type that providers of the AWS SDK resolve with. */
export interface S3Credentials {
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string | undefined
  /** When they expire. The provider is called again five minutes before that. */
  expiration?: Date | undefined
}

/** Fetches credentials, as providers of the AWS SDK do: `fromNodeProviderChain()`, `fromSSO()` ... */
export type S3CredentialsProvider = () => Promise<S3Credentials>

/** The operation of a request. `head` checks an object or bucket, `create` creates a bucket. */
export type S3Operation = 'create' | 'delete' | 'get' | 'head' | 'list' | 'put'

/** One completed attempt of a request. */
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
  /** The status of the response. Undefined if there was none. */
  status?: number
  /** The name of the error, if the attempt failed because of the network. */
  error?: string
}

export interface S3ObjectsInit {
  bucket: string

  /** The prefix of all keys. Objects outside it are never touched. A slash is appended. */
  prefix?: string | undefined

  /**
   * URLs such as `http://10.0.0.1:7480`, the preferred one first. If one cannot be reached, the next ones are used,
   * and it is not tried again for half a minute.
   *
   * @default `$AWS_ENDPOINT_URL_S3`, `$AWS_ENDPOINT_URL`, the profile's `endpoint_url`, or AWS
   */
  endpoints?: readonly string[] | undefined

  /** @default `$AWS_REGION`, `$AWS_DEFAULT_REGION`, the profile's `region`, or `us-east-1` */
  region?: string | undefined

  /**
   * Whether the bucket is in the path of URLs, instead of the host name.
   *
   * @default true, but false for AWS
   */
  pathStyle?: boolean | undefined

  /** @default the first credentials found in the environment, a profile, or the role of the container or instance */
  credentials?: S3Credentials | S3CredentialsProvider | undefined

  /** A profile of `~/.aws/credentials` and `~/.aws/config`. @default `$AWS_PROFILE`, or `default` */
  profile?: string | undefined

  /** In milliseconds. @default 3000 */
  connectTimeout?: number | undefined

  /**
   * From the end of a request to the start of its response, to send each 4 KiB of a request, and to receive as much of
   * the response to a deletion, in milliseconds.
   *
   * @default 30000
   */
  responseTimeout?: number | undefined

  /**
   * Maximum time to receive 4 KiB, or the headers of a response once they have begun, in milliseconds. After that
   * time, a transfer also fails if it was slower than 2 KiB per second on average.
   *
   * @default 10000
   */
  progressTimeout?: number | undefined

  /**
   * For one request with all its attempts and waits, in milliseconds. Each 8 KiB sent or received add a second. An
   * attempt that waits for its response is not cut short. A request that stalled twice fails earlier, unless there is
   * another endpoint.
   *
   * @default 120000
   */
  totalTimeout?: number | undefined

  /**
   * Maximum number of attempts per request. With 1, each request uses a new connection: if a reused one breaks, it is
   * unknown whether the request arrived.
   *
   * @default 6
   */
  attempts?: number | undefined

  /** Maximum number of connections per endpoint. @default 32 */
  maxConnections?: number | undefined

  /** Maximum size of an object for `get`, in bytes. @default 67108864 */
  maxObjectSize?: number | undefined

  /** Called after each attempt, for metrics. Errors that it throws are ignored. */
  onRequest?: ((event: S3RequestEvent) => void) | undefined

  /**
   * Called whenever part of a response arrives: its headers, and each chunk of its body. This distinguishes a slow
   * store from one that does not respond. Errors that it throws are ignored.
   */
  onReceived?: ((status: number) => void) | undefined

  /** Another signal for each new request, so that a process can end while the store does not respond. */
  signal?: (() => AbortSignal) | undefined

  /** The clock used to sign requests, in milliseconds since 1970. @default Date.now */
  now?: (() => number) | undefined
}

/** An object in a listing, or the result of `stat`. */
export interface ObjectInfo {
  key: string
  /** In bytes. */
  size: number
  /** By the clock of the store. */
  modified: Date
  /** Only from `stat`. Most stores use the MD5 of the bytes, in hexadecimal between quotation marks. */
  etag?: string | undefined
}

export interface S3Options {
  signal?: AbortSignal | null | undefined
}

/**
 * When a request expires, by the clock of the store: it rejects a request that arrives later. Created by
 * `S3Objects.validFor`.
 */
export interface S3Validity {
  /** The start of the validity, by the clock of an endpoint. */
  from: (endpoint: string) => Date
  /** The duration in seconds. */
  seconds: number
}

export interface DeleteOptions extends S3Options {
  /** @default the validity of signatures at the store, 15 minutes or more */
  validity?: S3Validity | undefined
}

/** A range of an object. It is truncated at the end of the object. */
export interface RangeOptions {
  /** The first byte. @default 0 */
  offset?: number | undefined
  /** @default all remaining bytes */
  length?: number | undefined
}

export interface ListOptions<T> extends S3Options {
  /** List keys after this one. @default from the first */
  after?: T | undefined
}
